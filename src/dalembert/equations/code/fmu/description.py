"""The XML of a Functional Mock-up Unit: its names, its variables and how these depend on each other [fmi2022]."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from xml.etree import ElementTree as xml

from ....calculus.frame import TIME
from .. import program_header
from ..listing import Listing
from ..program_header import remark
from .sources import MAIN
from .variables import FmuVariable, base

FMI = "3.0"
_LOGS = {"logStatusDiscard": "where nothing determines the motion", "logStatusError": "calls that make no sense"}


def described(listing: Listing, variables: Sequence[FmuVariable], identifier: str, token: str) -> bytes:
    """``modelDescription.xml``."""
    root = xml.Element(
        "fmiModelDescription",
        fmiVersion=FMI,
        modelName=remark(listing.equations.system.title) or identifier,
        instantiationToken=token,
        description=" ".join(line.strip() for line in program_header.lines(listing, False) if line),
        generationTool=f"dalembert {version('dalembert')}",
        variableNamingConvention="flat",
    )
    xml.SubElement(
        root, "ModelExchange", modelIdentifier=identifier, canGetAndSetFMUState="true", canSerializeFMUState="true"
    )
    _units(root, variables)
    logs = xml.SubElement(root, "LogCategories")
    for name, text in _LOGS.items():
        xml.SubElement(logs, "Category", name=name, description=text)
    stop = {} if listing.until is None else {"stopTime": repr(listing.until)}
    xml.SubElement(root, "DefaultExperiment", {"startTime": repr(listing.t), **stop})
    listed = xml.SubElement(root, "ModelVariables")
    places = {variable.name: str(i) for i, variable in enumerate(variables)}
    for variable in variables:
        xml.SubElement(listed, "Float64", _attributes(variable, places))
    _structure(root, variables, places)
    return _text(root)


def _attributes(variable: FmuVariable, places: dict[str, str]) -> dict[str, str]:
    """Of one variable; what has a start is exact, what has none is computed."""
    fixed = variable.causality == "parameter"
    found = {"name": variable.name, "valueReference": places[variable.name], "description": variable.text}
    found |= {"causality": variable.causality, "variability": "fixed" if fixed else "continuous"}
    if variable.unit:
        found["unit"] = variable.unit
    if variable.causality == "output":
        found["initial"] = "calculated" if variable.start is None else "exact"
    if variable.start is not None:
        found["start"] = repr(variable.start)
    if variable.derivative:
        found["derivative"] = places[variable.derivative]
    return found


def _units(root: xml.Element, variables: Sequence[FmuVariable]) -> None:
    parent = xml.SubElement(root, "UnitDefinitions")
    for name in dict.fromkeys(variable.unit for variable in variables if variable.unit):
        powers, unit = base(name), xml.SubElement(parent, "Unit", name=name)
        if powers is not None:
            xml.SubElement(unit, "BaseUnit", {symbol: str(power) for symbol, power in powers.items()})


def _structure(root: xml.Element, variables: Sequence[FmuVariable], places: dict[str, str]) -> None:
    """What depends on what, so that an importer sees which loops through inputs there are not."""
    parent = xml.SubElement(root, "ModelStructure")
    outputs = [v for v in variables if v.causality == "output"]
    rates = [v for v in variables if v.derivative]
    for kind, members in (("Output", outputs), ("ContinuousStateDerivative", rates)):
        for variable in members:
            read = sorted((places[name] for name in variable.reads if name != TIME.name), key=int)
            timed = [places[TIME.name]] if TIME.name in variable.reads else []
            xml.SubElement(parent, kind, valueReference=places[variable.name], dependencies=" ".join([*timed, *read]))
    for variable in (*rates, *(v for v in outputs if v.start is None)):
        xml.SubElement(parent, "InitialUnknown", valueReference=places[variable.name])


def building(identifier: str) -> bytes:
    """``sources/buildDescription.xml``."""
    root = xml.Element("fmiBuildDescription", fmiVersion=FMI)
    configuration = xml.SubElement(root, "BuildConfiguration", modelIdentifier=identifier)
    sources = xml.SubElement(configuration, "SourceFileSet", language="C99")
    xml.SubElement(sources, "SourceFile", name=MAIN)
    xml.SubElement(configuration, "Library", name="m", external="true", description="mathematics, where it is apart")
    return _text(root)


def _text(root: xml.Element) -> bytes:
    xml.indent(root)
    return bytes(xml.tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"
