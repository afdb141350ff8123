import type { EngineModelKind } from '../port.ts';
import type { DialectName } from './dialects/index.ts';

/** A remote engine that serves a base model, as the operator set it up. */
export type ServingRoute = {
  id: string;
  baseModelId: string;
  kind: EngineModelKind;
  api: DialectName;
  /** Base URL as an OpenAI client has it, such as `http://10.0.0.7:8000/v1`, without a slash at the end. */
  url: string;
  secret: string | null;
  upstreamModel: string;
  capacity: number;
  /** Its share of the work in comparison with others. */
  weight: number;
  /** Its model reads images. */
  vision?: boolean;
  /** Takes nothing new; what runs there ends there. */
  draining: boolean;
  maxContextTokens: number;
  dimensions: number | null;
  /** Folder that it shares with the servers, as these call it; adapters are put there. Without it, it serves none. */
  adaptersFolder?: string | null;
  /** The same folder as the engine calls it; without it, by the same path. */
  adaptersSeenAs?: string | null;
};
