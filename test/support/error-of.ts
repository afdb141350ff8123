/** Status, code and field of a refusal, as tests compare them. */
export function errorOf({ status, json }: { status: number; json: Record<string, unknown> }) {
  // as: tests of the contract have looked at the shape of every refusal.
  const { code, param } = json['error'] as { code: string; param: string | null };
  return [status, code, param];
}
