import { useTexts } from '../../i18n/catalogue.ts';
import { AppLink, isPage } from '../../ui/app-link.tsx';
import { IconCircle, IconCircleCheck } from '../../ui/icons.tsx';
import { Panel } from '../../ui/panel.tsx';
import type { Dashboard } from './dashboard-queries.ts';
import { dashboardTexts } from './dashboard-texts.ts';
import styles from './first-steps.module.css';

type Step = keyof Dashboard['getting_started'];

/** Where each is done; null: there is no page for it yet. */
const steps: readonly { step: Step; href: string | null }[] = [
  { step: 'project', href: '/projects' },
  { step: 'key', href: '/keys' },
  { step: 'first_call', href: '/projects' },
  { step: 'dataset', href: null },
  { step: 'training', href: null },
];

/** The way of a new account, with what is done already; gone when all of it is. */
export function FirstSteps({ steps: done }: { steps: Dashboard['getting_started'] }) {
  const t = useTexts(dashboardTexts);
  const next = steps.find(({ step }) => !done[step])?.step;
  return (
    <Panel title={t.start} text={t.startText}>
      <ol className={styles.steps}>
        {steps.map(({ step, href }) => (
          <li key={step} data-done={done[step] || undefined} data-next={step === next || undefined}>
            {done[step] ? <IconCircleCheck size={20} /> : <IconCircle size={20} />}
            <span>
              <StepText text={t.steps[step]} href={done[step] ? null : href} />
              {done[step] && <span className="visually-hidden"> ({t.done})</span>}
            </span>
          </li>
        ))}
      </ol>
    </Panel>
  );
}

/** What to do leads to where that is done. */
function StepText({ text, href }: { text: { do: string; why: string }; href: string | null }) {
  return (
    <>
      {href !== null && isPage(href) ? <AppLink href={href}>{text.do}</AppLink> : <strong>{text.do}</strong>}
      <small>{text.why}</small>
    </>
  );
}
