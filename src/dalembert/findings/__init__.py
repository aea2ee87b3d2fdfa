"""What was found when models were held against data: fits, rankings, plans. Arrays, names and sentences only."""
