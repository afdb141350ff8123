import { createContext, type Dispatch, type SetStateAction, use, useEffect } from 'react';

/** The title of a nested page, and its guide. */
type InnerTitle = { title: string; guide: string | undefined };
export type Titles = Readonly<Record<number, InnerTitle>>;

/** Lets nested pages report their titles for the window title, and their guides for the link to help. */
export const InnerTitles = createContext<Dispatch<SetStateAction<Titles>>>(() => {});

type PageTitleProps = {
  /** 1: of the page; 2 and 3: of nested pages. */
  order: 1 | 2 | 3;
  /** The name of the tab: read out before the title. */
  tab?: string | undefined;
  /** Of a nested page: its guide, as in `Page`. */
  guide?: string | undefined;
  id?: string;
  children: string;
};

/** The title of a page, which gets the focus after navigation. */
export function PageTitle({ order, tab, guide, id, children }: PageTitleProps) {
  const setTitles = use(InnerTitles);
  const title = tab === undefined ? children : `${tab} · ${children}`;
  useEffect(() => {
    if (order === 1) return;
    setTitles((now) => ({ ...now, [order]: { title, guide } }));
    return () => setTitles(({ [order]: _gone, ...rest }) => rest);
  }, [order, title, guide, setTitles]);
  // It was rendered after its parent, which has the focus now.
  useEffect(() => {
    if (document.activeElement?.matches(pageTitles)) focusPageTitle();
  }, []);
  const Heading = `h${order}` as const;
  return (
    <Heading id={id} tabIndex={-1} data-page-title>
      {tab !== undefined && <span className="visually-hidden">{tab}, </span>}
      {children}
    </Heading>
  );
}

const pageTitles = 'main [data-page-title]';

/** The innermost one is the last. */
export function focusPageTitle(): void {
  [...document.querySelectorAll<HTMLElement>(pageTitles)].at(-1)?.focus({ preventScroll: true });
}
