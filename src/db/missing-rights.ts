import { messageOf, OperatorError } from '#kernel';
import { sqlState } from './sqlstate.ts';

const insufficientPrivilege = '42501';
const noSchema = '3F000';

/** Where the user of the database may not make what Fanfold needs, what is missing, in one line; any other error as it is. */
export function missingRights(error: unknown): unknown {
  const state = sqlState(error);
  if (state === insufficientPrivilege)
    return new OperatorError(`The database user may not make tables (${messageOf(error)}). Let it own the database.`, {
      cause: error,
    });
  if (state === noSchema)
    return new OperatorError(
      'The search_path of the database user names no schema that there is. Make it, or reset it.',
      {
        cause: error,
      },
    );
  return error;
}
