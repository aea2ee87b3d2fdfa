"""From equations to motions. Its sub-rooms, each of which imports those above it alone:

    machine              graph -> LLVM IR -> machine code: functions, linear solves, lanes, tangents, a cache on disk
    vector_field         one set of equations compiled: dy/dt with its rank margin, the way back to the constraints
    methods              how to step: Dop853, Radau, Taylor and the methods of fixed steps, values with steppers
    policy               what a user may choose for a run: method, tolerances, stabilisation, limits
    events               guards: their zeros on a path, and what holds at one instant
    inputs               what drives a motion: tables, formulas, functions, as coefficients that jump
    contacts             modes of contacts: which ones, their changes and impacts, and one path of all of them
    run                  one motion: steps, events, jumps, rest, limits; then its columns and its audit
    ensembles            many motions of the same equations, in the lanes of the vector registers
    sensitivities        a motion with its derivatives by start values and parameters
    sweep                grids and tables of starts and parameters, stored, resumed, on many cores
    two_point            curves between given ends: shooting, and collocation that checks it
    manoeuvre            inputs that lead from one state to another at least cost, and the run that they make
    node_derivatives     nodes, rates and constraints with their derivatives at a state, compiled if asked often
    stability            what becomes of small disturbances: eigenvalues with their errors, families, leading terms
    relative_equilibria  relative equilibria and their eigenvalues, which need no integration
    linearise            the tangent of a motion, in states that the constraints leave free
    families             what parts and what comes back; steady motions followed in a parameter
    plant                motions that go on step by step, each step with inputs of its own

The walk of one simulation goes down the list once and up again:

    policy = Policy.of({"method": "radau"})           # words become values at the door
    field = policy.field(equations, start)            # compiled on first use
    request = RunRequest(field, policy, events, end)  # all that was given, in order
    stepper = policy.method.stepper(field, asked)     # one integration under way
    run = carry_out(stepper, context)                 # chunk after chunk, cut where something happens
    path_of(made, request), with audit.examine(...)   # names instead of rows, and a verdict

Nothing here sees a principle: the integrator cannot favour one. `tests/test_architecture.py` holds the list.
"""
