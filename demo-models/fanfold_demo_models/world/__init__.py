"""A small synthetic world: everything the tiny chat model knows and can do is generated here."""
