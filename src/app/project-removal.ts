import { removeAnswersOf } from '#calls';
import { removeChatsOf } from '#chats';
import { removeDatasetsOf } from '#datasets';
import { removeFeedbackOf } from '#feedback';
import { removeStoredCallsOf } from '#inference';
import { removeHostedModelsOf } from '#models';
import { createProjectRemoval } from '#projects';
import { removeJobsOf } from '#training';
import type { Infrastructure } from './infrastructure.ts';
import type { Resources } from './resources.ts';

/** What each room removes of a deleted project. Rows come before those that they refer to. */
export function openProjectRemoval(
  { database, objects, log }: Pick<Infrastructure, 'database' | 'objects' | 'log'>,
  { indexes }: { indexes: Pick<Resources['indexes'], 'removal'> },
) {
  const steps = [
    removeAnswersOf(database),
    removeChatsOf(database),
    removeStoredCallsOf(database),
    removeHostedModelsOf(database),
    indexes.removal,
    removeJobsOf({ database, objects }),
    removeFeedbackOf(database),
    removeDatasetsOf({ database, objects }),
  ];
  return createProjectRemoval({ database, log, steps });
}
