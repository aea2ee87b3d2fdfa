def test_a_list_that_holds_itself_is_a_column_and_refused_when_it_is_used():
    import dalembert as da

    column = [1.0, 2.0]
    column.append(column)
    assert len(da.ensembles.table(x=column)) == 3
