import type { EngineDialect } from '../dialect.ts';
import { llamaServer } from './llama-server.ts';
import { lmdeploy } from './lmdeploy.ts';
import { openai } from './openai.ts';
import { sglang } from './sglang.ts';
import { tei } from './tei.ts';
import { vllm } from './vllm.ts';

const registered = {
  openai,
  vllm,
  sglang,
  'llama-server': llamaServer,
  tei,
  lmdeploy,
};

export type DialectName = keyof typeof registered;

export const engineDialects: Readonly<Record<DialectName, EngineDialect>> = registered;

export const isDialectName = (name: string): name is DialectName => Object.hasOwn(registered, name);

export const dialectNames: readonly DialectName[] = Object.keys(registered).filter(isDialectName);
