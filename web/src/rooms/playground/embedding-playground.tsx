import { Button, NativeSelect } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useDraft } from '../../api/use-draft.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { GrowingTextarea } from '../../ui/growing-textarea.tsx';
import { IconCode, IconVectorTriangle } from '../../ui/icons.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import type { Project } from '../projects/index.ts';
import { type Choices, choiceOf, counterpartOf, groupsOf } from './choices.ts';
import { CodeDialog } from './code-dialog.tsx';
import { embeddingTexts } from './embedding-texts.ts';
import { Matrix } from './matrix.tsx';
import styles from './playground.module.css';
import { playgroundTexts } from './playground-texts.ts';
import { maxRetries } from './retry-while-loading.ts';
import { SearchPanel } from './search-panel.tsx';
import { matrixOf } from './similarity.ts';
import { useEmbeddings } from './use-embeddings.ts';

const route = getRouteApi('/signed-in/projects/$owner/$project/playground');
/** A larger matrix cannot be read. */
const mostTexts = 24;

type Compared = { texts: string[]; sides: { model: string; vectors: number[][] }[]; tokens: number };
type Embed = ReturnType<typeof useEmbeddings>['embed'];

export function EmbeddingPlayground({ project, choices }: { project: Project; choices: Choices }) {
  const t = useTexts(playgroundTexts);
  const own = useTexts(embeddingTexts);
  const format = useFormat();
  const { model: asked = '', compare: isComparing } = route.useSearch();
  const first = choiceOf(choices, asked);
  // First the base model, then the trained one.
  const [model, setModel] = useState(isComparing ? counterpartOf(choices, first).id : first.id);
  const [other, setOther] = useState(isComparing ? first.id : '');
  const [text, setText] = useDraft(`texts ${project.id}`, '');
  const [isCodeOpen, setCodeOpen] = useState(false);
  const { embed, done, waiting } = useEmbeddings({ owner: project.owner.slug, project: project.slug });
  const texts = [...new Set(text.split('\n').map((line) => line.trim()))].filter((line) => line !== '');
  const models = other === '' || other === model ? [model] : [model, other];
  const compare = useMutation({ mutationFn: () => embedWithEach(embed, models, texts) });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (texts.length > 0 && texts.length <= mostTexts) compare.mutate();
  };
  const { data } = compare;
  const progress = () => {
    if (waiting)
      return t.waiting(format.number(waiting.secondsLeft), format.number(waiting.retry), format.number(maxRetries));
    if (compare.isPending) return own.computing(format.number(done), format.number(texts.length));
    return data ? own.used(format.number(data.tokens)) : '';
  };
  return (
    <div className={styles.embedding}>
      <Panel title={own.texts} text={own.textsHint(format.number(mostTexts))}>
        <form onSubmit={submit} className={styles.form}>
          <ModelPair choices={choices} model={model} other={other} onModel={setModel} onOther={setOther} />
          <GrowingTextarea
            aria-label={own.texts}
            placeholder={own.sample}
            minRows={5}
            maxRows={14}
            value={text}
            error={texts.length > mostTexts && own.textsHint(format.number(mostTexts))}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <div className={styles.composerFoot}>
            <Button
              variant="default"
              leftSection={<IconCode size={16} />}
              disabled={texts.length === 0}
              onClick={() => setCodeOpen(true)}
            >
              {t.asCode}
            </Button>
            <Button type="submit" loading={compare.isPending} disabled={texts.length === 0}>
              {own.compute}
            </Button>
          </div>
          <p className={styles.hint} aria-live="polite">
            {progress()}
          </p>
        </form>
      </Panel>
      {compare.error && <ProblemNote error={compare.error} onRetry={() => compare.mutate()} />}
      {data ? (
        <Comparison compared={data} embed={embed} />
      ) : (
        <EmptyState icon={IconVectorTriangle} title={own.noneTitle}>
          {own.none}
        </EmptyState>
      )}
      <CodeDialog
        isOpen={isCodeOpen}
        onClose={() => setCodeOpen(false)}
        facts={{
          baseUrl: project.inference_base_url,
          path: 'embeddings',
          body: { model, input: texts[0] ?? '', input_type: 'document', encoding_format: 'float' },
        }}
      />
    </div>
  );
}

type ModelPairProps = {
  choices: Choices;
  model: string;
  /** Empty: there is none. */
  other: string;
  onModel: (model: string) => void;
  onOther: (model: string) => void;
};

function ModelPair({ choices, model, other, onModel, onOther }: ModelPairProps) {
  const t = useTexts(playgroundTexts);
  const own = useTexts(embeddingTexts);
  const groups = groupsOf(choices, t);
  return (
    <div className={styles.pair}>
      <NativeSelect
        label={t.model}
        value={model}
        data={groups}
        onChange={({ currentTarget }) => onModel(currentTarget.value)}
      />
      <NativeSelect
        label={own.other}
        value={other}
        data={[{ value: '', label: own.noOther }, ...groups]}
        onChange={({ currentTarget }) => onOther(currentTarget.value)}
      />
    </div>
  );
}

/** One after the other, as each may have to be loaded first. */
async function embedWithEach(embed: Embed, models: readonly string[], texts: string[]): Promise<Compared> {
  const sides: Compared['sides'] = [];
  let tokens = 0;
  for (const model of models) {
    const embedded = await embed(model, texts);
    sides.push({ model, vectors: embedded.vectors });
    tokens += embedded.tokens;
  }
  return { texts, sides, tokens };
}

function Comparison({ compared: { texts, sides }, embed }: { compared: Compared; embed: Embed }) {
  const t = useTexts(embeddingTexts);
  return (
    <>
      <SearchPanel texts={texts} sides={sides} embed={embed} />
      <Panel title={t.matrix} text={t.matrixText}>
        {sides.map(({ model, vectors }) => (
          <Matrix key={model} title={sides.length > 1 ? model : null} texts={texts} values={matrixOf(vectors)} />
        ))}
      </Panel>
    </>
  );
}
