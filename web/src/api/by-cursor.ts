/** How a list is read page after page: each page names the cursor of the next one. */
export const byCursor = {
  initialPageParam: '',
  getNextPageParam: ({ next_cursor }: { next_cursor: string | null }) => next_cursor,
};
