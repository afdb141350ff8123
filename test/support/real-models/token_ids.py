"""Token ids by Hugging Face's tokenizers: token_ids.py TOKENIZER. Reads a JSON list of texts, writes a list of lists."""

import json
import sys

from tokenizers import Tokenizer

tokenizer = Tokenizer.from_file(sys.argv[1])
json.dump([tokenizer.encode(text, add_special_tokens=False).ids for text in json.load(sys.stdin)], sys.stdout)
