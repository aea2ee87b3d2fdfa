"""How a refusal must look."""

import pytest

import dalembert as da


@pytest.fixture
def refused():
    """``refused(code, call)``: the error that the call raises, checked for its code, its remedy and its kind."""

    def check(code, call):
        with pytest.raises(da.DalembertError) as caught:
            call()
        error = caught.value
        assert error.code == code, str(error)
        assert error.remedy
        assert "object at 0x" not in str(error)
        assert isinstance(error, ValueError | TypeError | KeyError | ArithmeticError)
        return error

    return check
