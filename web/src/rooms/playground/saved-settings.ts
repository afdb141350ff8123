import { parseExactJson } from '../../api/exact-json.ts';
import type { Project } from '../projects/index.ts';
import type { ChatSettings } from './settings.ts';

const keyOf = ({ id }: Project): string => `fanfold.playground.${id}`;

/** The settings that were chosen last in a project, in this browser; null: none. */
export function savedSettings(project: Project): Partial<ChatSettings> | null {
  const text = localStorage.getItem(keyOf(project));
  // as: written below.
  return text === null ? null : (parseExactJson(text) as Partial<ChatSettings>);
}

export function saveSettings(project: Project, settings: ChatSettings): void {
  localStorage.setItem(keyOf(project), JSON.stringify(settings));
}
