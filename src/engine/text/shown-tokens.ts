import { markersOf, type OutputFormat } from './formats/output-format.ts';
import type { ChatTemplate } from './template.ts';

/** Control tokens that the parser of outputs must see: parts of the markers of the model's format. */
export function shownTexts(controlTexts: readonly string[], format: OutputFormat | null): ReadonlySet<string> {
  if (format === null) return new Set();
  const markers = markersOf(format);
  return new Set(controlTexts.filter((text) => text !== '' && markers.some((marker) => marker.includes(text))));
}

/** How the model writes its output; null: it cannot chat. */
export function formatOf({ template }: { template: () => ChatTemplate | null }): OutputFormat | null {
  try {
    return template()?.format ?? null;
  } catch {
    // The model cannot chat; calls of it are refused with the reason.
    return null;
  }
}
