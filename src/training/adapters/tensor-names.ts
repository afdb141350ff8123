import { AdapterError } from './adapter-error.ts';

/** The linear layers of a block, as PEFT and as llama.cpp call them. */
const layers: Record<string, string> = {
  'self_attn.q_proj': 'attn_q',
  'self_attn.k_proj': 'attn_k',
  'self_attn.v_proj': 'attn_v',
  'self_attn.o_proj': 'attn_output',
  'mlp.gate_proj': 'ffn_gate',
  'mlp.up_proj': 'ffn_up',
  'mlp.down_proj': 'ffn_down',
};

export type LoraPart = {
  /** The module as PEFT's patterns see it. */
  module: string;
  /** The base's tensor. */
  tensor: string;
  part: 'a' | 'b';
};

/** `base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight`; without the inner `model.` in embedding models. */
const shape = /^base_model\.model\.((?:model\.)?layers\.(\d{1,4})\.([a-z_]+\.[a-z_]+))\.lora_([AB])\.weight$/;

/** Reads the name of a weight in a PEFT file. Throws for what is no LoRA of a linear layer. */
export function readTensorName(name: string): LoraPart {
  const [, module, block, layer, part] = shape.exec(name) ?? [];
  const known = layer !== undefined && Object.hasOwn(layers, layer) ? layers[layer] : undefined;
  if (module === undefined || block === undefined || known === undefined) {
    throw new AdapterError(`The adapter has a weight that is not supported: ${JSON.stringify(name.slice(0, 120))}.`);
  }
  return { module, tensor: `blk.${Number(block)}.${known}.weight`, part: part === 'A' ? 'a' : 'b' };
}
