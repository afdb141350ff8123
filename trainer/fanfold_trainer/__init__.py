"""Trains the models of Fanfold's accounts; it is a program that the server starts."""
