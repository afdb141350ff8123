import { ActionIcon, Tooltip } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { IconThumbDown, IconThumbUp } from '../../ui/icons.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { type ChatPath, type Message, messagesQuery } from './playground-queries.ts';
import { playgroundTexts } from './playground-texts.ts';

type RatingProps = { path: ChatPath; message: Message };

/** Thumbs up or down, stored with the answer; the same one again takes it back. */
export function Rating({ path, message }: RatingProps) {
  const t = useTexts(playgroundTexts);
  const queryClient = useQueryClient();
  const { queryKey } = messagesQuery(path);
  const rate = useMutation({
    mutationFn: (rating: Message['rating']) =>
      call('PATCH /api/v1/projects/{owner}/{project}/chats/{chat_id}/messages/{message_id}', {
        path: { owner: path.owner, project: path.project, chat_id: path.chatId, message_id: message.id },
        body: { rating },
      }),
    onSuccess: (rated) =>
      queryClient.setQueryData<Message[]>(queryKey, (now) => now?.map((each) => (each.id === rated.id ? rated : each))),
  });
  const shown = rate.isPending ? rate.variables : message.rating;
  return (
    <>
      {(['up', 'down'] as const).map((rating) => (
        <Tooltip key={rating} label={t.ratings[rating]}>
          <ActionIcon
            size="md"
            aria-label={t.ratings[rating]}
            aria-pressed={shown === rating}
            variant={shown === rating ? 'light' : 'subtle'}
            color={shown === rating ? 'pine' : 'gray'}
            onClick={() => rate.mutate(shown === rating ? null : rating)}
          >
            {rating === 'up' ? <IconThumbUp size={16} /> : <IconThumbDown size={16} />}
          </ActionIcon>
        </Tooltip>
      ))}
      {rate.error && <ProblemNote error={rate.error} />}
    </>
  );
}
