"""LoRA training. Token ids come in, an adapter goes out; `docs/adr/0021-trainer.md` says why it is made this way."""
