/*
 * The interface of FMI 3.0 for model exchange around the equations of model.h: no model stands here.
 *
 * A variable is told by its value reference: 0 the time, then the states, their rates, parameters and inputs, and what
 * is computed beside them. Everything of an instance is in its memory; there is nothing else that changes.
 *
 * For a static library define FMI3_FUNCTION_PREFIX as the model identifier and an underscore.
 */

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

#if defined FMI3_FUNCTION_PREFIX && !defined FMI3_OVERRIDE_FUNCTION_PREFIX
#define JOINED(prefix, name) prefix##name
#define WITH(prefix, name) JOINED(prefix, name)
#define NAME(name) WITH(FMI3_FUNCTION_PREFIX, name)
#else
#define NAME(name) name
#endif
#if defined _WIN32 || defined __CYGWIN__
#define SEEN __declspec(dllexport)
#elif defined __GNUC__
#define SEEN __attribute__((visibility("default")))
#else
#define SEEN
#endif

/* what the standard calls fmi3Status and fmi3LogMessageCallback, and how a variable is told */
typedef enum { OK, WARNING, DISCARD, ERROR, FATAL } Status;
typedef void (*Log)(void *environment, Status status, const char *category, const char *message);
typedef uint32_t Reference;

typedef enum { INSTANTIATED, INITIALIZING, AT_EVENT, CONTINUOUS, TERMINATED } Mode;
enum {
    FIRST_STATE = 1,
    FIRST_RATE = FIRST_STATE + N_STATES,
    FIRST_PARAMETER = FIRST_RATE + N_STATES,
    FIRST_SHOWN = FIRST_PARAMETER + N_PARAMETERS,
    N_VARIABLES = FIRST_SHOWN + N_SHOWN
};

/* all that an instance knows of its motion */
typedef struct {
    double t, y[N_STATES], p[N_PARAMETERS + N_PREPARED + 1];
    Mode mode;
} Values;

typedef struct {
    Values now;
    bool tells;
    void *environment;
    Log log;
} Instance;

static Status told(const Instance *it, Status status, const char *message)
{
    if (it && it->log && it->tells)
        it->log(it->environment, status, status == DISCARD ? "logStatusDiscard" : "logStatusError", message);
    return status;
}

static void begin(Instance *it)
{
    memset(&it->now, 0, sizeof it->now);
    it->now.t = TIME;
    memcpy(it->now.y, START, sizeof it->now.y);
    memcpy(it->now.p, PARAMETER_VALUES, N_PARAMETERS * sizeof(double));
    prepare(it->now.p);
    it->now.mode = INSTANTIATED;
}

static bool all_finite(const double *values, size_t n)
{
    size_t i;
    for (i = 0; i < n; i++)
        if (!(fabs(values[i]) < HUGE_VAL)) return false;
    return true;
}

static Status rates_of(const Instance *it, double *out)
{
    const Values *now = &it->now;
    if (rhs(now->t, now->y, now->p, out) || !all_finite(out, N_STATES))
        return told(it, DISCARD, "nothing determines the accelerations here, or they are not finite");
    return OK;
}

/* --- the common functions --------------------------------------------------------------------------------------- */

SEEN const char *NAME(fmi3GetVersion)(void) { return "3.0"; }

SEEN Status NAME(fmi3SetDebugLogging)(void *instance, bool on, size_t n, const char *const categories[])
{
    (void)n;
    (void)categories;
    ((Instance *)instance)->tells = on;
    return OK;
}

SEEN void *NAME(fmi3InstantiateModelExchange)(const char *name, const char *token, const char *resources, bool visible,
                                              bool on, void *environment, Log log)
{
    Instance *it = calloc(1, sizeof *it);
    (void)name;
    (void)resources;
    (void)visible;
    if (!it) return NULL;
    it->tells = on;
    it->environment = environment;
    it->log = log;
    if (!token || strcmp(token, TOKEN)) {
        told(it, ERROR, "the instantiation token is that of another model");
        free(it);
        return NULL;
    }
    begin(it);
    return it;
}

SEEN void NAME(fmi3FreeInstance)(void *instance) { free(instance); }

SEEN Status NAME(fmi3EnterInitializationMode)(void *instance, bool tolerance_given, double tolerance, double start,
                                              bool stop_given, double stop)
{
    Instance *it = instance;
    (void)tolerance_given;
    (void)tolerance;
    (void)stop_given;
    (void)stop;
    if (it->now.mode != INSTANTIATED) return told(it, ERROR, "initialization follows instantiation or a reset");
    if (!all_finite(&start, 1)) return told(it, ERROR, "the start time is not finite");
    it->now.t = start;
    it->now.mode = INITIALIZING;
    return OK;
}

SEEN Status NAME(fmi3ExitInitializationMode)(void *instance)
{
    Instance *it = instance;
    if (it->now.mode != INITIALIZING) return told(it, ERROR, "this is not the initialization mode");
    it->now.mode = AT_EVENT;
    return OK;
}

SEEN Status NAME(fmi3EnterEventMode)(void *instance)
{
    Instance *it = instance;
    if (it->now.mode != CONTINUOUS) return told(it, ERROR, "the event mode follows the continuous-time mode");
    it->now.mode = AT_EVENT;
    return OK;
}

SEEN Status NAME(fmi3Terminate)(void *instance)
{
    ((Instance *)instance)->now.mode = TERMINATED;
    return OK;
}

SEEN Status NAME(fmi3Reset)(void *instance)
{
    begin(instance);
    return OK;
}

SEEN Status NAME(fmi3GetFloat64)(void *instance, const Reference wanted[], size_t n, double values[], size_t m)
{
    const Instance *it = instance;
    const Values *now = &it->now;
    double rates[N_STATES], computed[N_SHOWN + 1];
    bool rates_known = false, shown_known = false;
    size_t i;
    if (n != m) return told(it, ERROR, "every variable has one value");
    for (i = 0; i < n; i++) {
        const Reference r = wanted[i];
        if (r >= N_VARIABLES) return told(it, ERROR, "there is no variable of this value reference");
        if (r >= FIRST_SHOWN && !shown_known) {
            if (shown(now->t, now->y, now->p, computed))
                return told(it, DISCARD, "nothing determines the multipliers here");
            shown_known = true;
        }
        if (r >= FIRST_RATE && r < FIRST_PARAMETER && !rates_known) {
            if (rates_of(it, rates)) return DISCARD;
            rates_known = true;
        }
        values[i] = r < FIRST_STATE       ? now->t
                    : r < FIRST_RATE      ? now->y[r - FIRST_STATE]
                    : r < FIRST_PARAMETER ? rates[r - FIRST_RATE]
                    : r < FIRST_SHOWN     ? now->p[r - FIRST_PARAMETER]
                                          : computed[r - FIRST_SHOWN];
    }
    return OK;
}

SEEN Status NAME(fmi3SetFloat64)(void *instance, const Reference given[], size_t n, const double values[], size_t m)
{
    Instance *it = instance;
    Values *now = &it->now;
    const bool before = now->mode == INSTANTIATED || now->mode == INITIALIZING;
    size_t i;
    if (n != m) return told(it, ERROR, "every variable has one value");
    if (!all_finite(values, n)) return told(it, ERROR, "a value is not finite");
    for (i = 0; i < n; i++) {
        const Reference r = given[i];
        const bool state = r >= FIRST_STATE && r < FIRST_RATE, known = r >= FIRST_PARAMETER && r < FIRST_SHOWN;
        if (!state && !known) return told(it, ERROR, "only inputs, parameters and states can be set");
        if (!before && (state || !IS_INPUT[r - FIRST_PARAMETER]))
            return told(it, ERROR, "parameters and starts are set before the initialization ends");
        *(state ? &now->y[r - FIRST_STATE] : &now->p[r - FIRST_PARAMETER]) = values[i];
    }
    prepare(now->p);
    return OK;
}

SEEN Status NAME(fmi3GetFMUState)(void *instance, void **state)
{
    if (!*state) *state = malloc(sizeof(Values));
    if (!*state) return told(instance, ERROR, "there is no memory left");
    memcpy(*state, &((Instance *)instance)->now, sizeof(Values));
    return OK;
}

SEEN Status NAME(fmi3SetFMUState)(void *instance, void *state)
{
    memcpy(&((Instance *)instance)->now, state, sizeof(Values));
    return OK;
}

SEEN Status NAME(fmi3FreeFMUState)(void *instance, void **state)
{
    (void)instance;
    free(*state);
    *state = NULL;
    return OK;
}

SEEN Status NAME(fmi3SerializedFMUStateSize)(void *instance, void *state, size_t *size)
{
    (void)instance;
    (void)state;
    *size = sizeof(Values);
    return OK;
}

SEEN Status NAME(fmi3SerializeFMUState)(void *instance, void *state, uint8_t bytes[], size_t size)
{
    if (size != sizeof(Values)) return told(instance, ERROR, "a state has another size");
    memcpy(bytes, state, size);
    return OK;
}

SEEN Status NAME(fmi3DeserializeFMUState)(void *instance, const uint8_t bytes[], size_t size, void **state)
{
    if (size != sizeof(Values)) return told(instance, ERROR, "a state has another size");
    if (!*state) *state = malloc(size);
    if (!*state) return told(instance, ERROR, "there is no memory left");
    memcpy(*state, bytes, size);
    return OK;
}

SEEN Status NAME(fmi3UpdateDiscreteStates)(void *instance, bool *again, bool *ends, bool *nominals, bool *states,
                                           bool *timed, double *next)
{
    (void)instance;
    *again = *ends = *nominals = *states = *timed = false;
    *next = 0.0;
    return OK;
}

/* --- model exchange --------------------------------------------------------------------------------------------- */

SEEN Status NAME(fmi3EnterContinuousTimeMode)(void *instance)
{
    Instance *it = instance;
    if (it->now.mode != AT_EVENT) return told(it, ERROR, "the continuous-time mode follows the event mode");
    it->now.mode = CONTINUOUS;
    return OK;
}

SEEN Status NAME(fmi3CompletedIntegratorStep)(void *instance, bool no_return, bool *event, bool *ends)
{
    const Instance *it = instance;
    const Values *now = &it->now;
    (void)no_return;
    *event = false;
    *ends = near_a_pole(now->t, now->y, now->p) != 0;
    if (*ends) told(it, DISCARD, "near a pole of these equations: their health is below 1");
    return OK;
}

SEEN Status NAME(fmi3SetTime)(void *instance, double time)
{
    ((Instance *)instance)->now.t = time;
    return OK;
}

SEEN Status NAME(fmi3SetContinuousStates)(void *instance, const double states[], size_t n)
{
    if (n != N_STATES) return told(instance, ERROR, "there is another number of states");
    memcpy(((Instance *)instance)->now.y, states, n * sizeof(double));
    return OK;
}

SEEN Status NAME(fmi3GetContinuousStates)(void *instance, double states[], size_t n)
{
    if (n != N_STATES) return told(instance, ERROR, "there is another number of states");
    memcpy(states, ((Instance *)instance)->now.y, n * sizeof(double));
    return OK;
}

SEEN Status NAME(fmi3GetContinuousStateDerivatives)(void *instance, double rates[], size_t n)
{
    if (n != N_STATES) return told(instance, ERROR, "there is another number of states");
    return rates_of(instance, rates);
}

SEEN Status NAME(fmi3GetNominalsOfContinuousStates)(void *instance, double nominals[], size_t n)
{
    size_t i;
    if (n != N_STATES) return told(instance, ERROR, "there is another number of states");
    for (i = 0; i < n; i++) nominals[i] = 1.0;
    return OK;
}

SEEN Status NAME(fmi3GetEventIndicators)(void *instance, double indicators[], size_t n)
{
    (void)indicators;
    return n ? told(instance, ERROR, "there are no event indicators") : OK;
}

SEEN Status NAME(fmi3GetNumberOfEventIndicators)(void *instance, size_t *n)
{
    (void)instance;
    *n = 0;
    return OK;
}

SEEN Status NAME(fmi3GetNumberOfContinuousStates)(void *instance, size_t *n)
{
    (void)instance;
    *n = N_STATES;
    return OK;
}

/* --- what the standard has and this model has not --------------------------------------------------------------- */

static void unused(int first, ...) { (void)first; }

#define NO_VARIABLES(name, type)                                                                                      \
    SEEN Status NAME(name)(void *instance, const Reference r[], size_t n, type values[], size_t m)                    \
    {                                                                                                                 \
        unused(0, r, values, m);                                                                                         \
        return n ? told(instance, ERROR, #name ": all variables are Float64") : OK;                                   \
    }
#define NOT_HERE(name, arguments, ...)                                                                                \
    SEEN Status NAME(name) arguments                                                                                  \
    {                                                                                                                 \
        unused(0, __VA_ARGS__);                                                                                          \
        return told(instance, ERROR, #name ": this model does not offer it");                                         \
    }
#define WITHOUT(kind, type) NO_VARIABLES(fmi3Get##kind, type) NO_VARIABLES(fmi3Set##kind, const type)

WITHOUT(Float32, float)
WITHOUT(Int8, int8_t)
WITHOUT(UInt8, uint8_t)
WITHOUT(Int16, int16_t)
WITHOUT(UInt16, uint16_t)
WITHOUT(Int32, int32_t)
WITHOUT(UInt32, uint32_t)
WITHOUT(Int64, int64_t)
WITHOUT(UInt64, uint64_t)
WITHOUT(Boolean, bool)
NO_VARIABLES(fmi3GetString, const char *)
NO_VARIABLES(fmi3SetString, const char *const)

NOT_HERE(fmi3GetBinary,
         (void *instance, const Reference r[], size_t n, size_t sizes[], const uint8_t *values[], size_t m),
         r, n, sizes, values, m)
NOT_HERE(fmi3SetBinary,
         (void *instance, const Reference r[], size_t n, const size_t sizes[], const uint8_t *const values[], size_t m),
         r, n, sizes, values, m)
NOT_HERE(fmi3GetClock, (void *instance, const Reference r[], size_t n, bool values[]), r, n, values)
NOT_HERE(fmi3SetClock, (void *instance, const Reference r[], size_t n, const bool values[]), r, n, values)
NOT_HERE(fmi3GetNumberOfVariableDependencies, (void *instance, Reference r, size_t *n), r, n)
NOT_HERE(fmi3GetVariableDependencies,
         (void *instance, Reference r, size_t of[], Reference on[], size_t at[], int kinds[], size_t n),
         r, of, on, at, kinds, n)
NOT_HERE(fmi3GetDirectionalDerivative,
         (void *instance, const Reference u[], size_t n, const Reference k[], size_t m, const double seed[],
          size_t seeds, double out[], size_t outs),
         u, n, k, m, seed, seeds, out, outs)
NOT_HERE(fmi3GetAdjointDerivative,
         (void *instance, const Reference u[], size_t n, const Reference k[], size_t m, const double seed[],
          size_t seeds, double out[], size_t outs),
         u, n, k, m, seed, seeds, out, outs)
NOT_HERE(fmi3EnterConfigurationMode, (void *instance), 0)
NOT_HERE(fmi3ExitConfigurationMode, (void *instance), 0)
NOT_HERE(fmi3EnterStepMode, (void *instance), 0)
NOT_HERE(fmi3EvaluateDiscreteStates, (void *instance), 0)
NOT_HERE(fmi3GetIntervalDecimal, (void *instance, const Reference r[], size_t n, double a[], int q[]), r, n, a, q)
NOT_HERE(fmi3GetIntervalFraction,
         (void *instance, const Reference r[], size_t n, uint64_t a[], uint64_t b[], int q[]), r, n, a, b, q)
NOT_HERE(fmi3GetShiftDecimal, (void *instance, const Reference r[], size_t n, double a[]), r, n, a)
NOT_HERE(fmi3GetShiftFraction, (void *instance, const Reference r[], size_t n, uint64_t a[], uint64_t b[]), r, n, a, b)
NOT_HERE(fmi3SetIntervalDecimal, (void *instance, const Reference r[], size_t n, const double a[]), r, n, a)
NOT_HERE(fmi3SetIntervalFraction,
         (void *instance, const Reference r[], size_t n, const uint64_t a[], const uint64_t b[]), r, n, a, b)
NOT_HERE(fmi3SetShiftDecimal, (void *instance, const Reference r[], size_t n, const double a[]), r, n, a)
NOT_HERE(fmi3SetShiftFraction,
         (void *instance, const Reference r[], size_t n, const uint64_t a[], const uint64_t b[]), r, n, a, b)
NOT_HERE(fmi3GetOutputDerivatives,
         (void *instance, const Reference r[], size_t n, const int32_t orders[], double values[], size_t m),
         r, n, orders, values, m)
NOT_HERE(fmi3DoStep,
         (void *instance, double t, double h, bool no_return, bool *event, bool *ends, bool *early, double *last),
         t, h, no_return, event, ends, early, last)
NOT_HERE(fmi3ActivateModelPartition, (void *instance, Reference clock, double time), clock, time)

SEEN void *NAME(fmi3InstantiateCoSimulation)(const char *name, const char *token, const char *resources, bool visible,
                                             bool on, bool events, bool early, const Reference r[], size_t n,
                                             void *environment, Log log, void (*update)(void))
{
    unused(0, name, token, resources, visible, on, events, early, r, n, environment, log, update);
    return NULL;
}

SEEN void *NAME(fmi3InstantiateScheduledExecution)(const char *name, const char *token, const char *resources,
                                                   bool visible, bool on, void *environment, Log log,
                                                   void (*update)(void), void (*lock)(void), void (*unlock)(void))
{
    unused(0, name, token, resources, visible, on, environment, log, update, lock, unlock);
    return NULL;
}
