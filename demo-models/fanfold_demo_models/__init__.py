"""Makes the two tiny models that ship with Fanfold, from data that this package generates."""
