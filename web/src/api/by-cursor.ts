/** Options of an infinite query whose pages name the cursor of the next one. */
export const byCursor = {
  initialPageParam: '',
  getNextPageParam: ({ next_cursor }: { next_cursor: string | null }) => next_cursor,
};
