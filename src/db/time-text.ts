/** SQL: a time as text with its microseconds, which goes back into a comparison as it came out. */
export function timeText(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}
