import { createContext, type Dispatch, type SetStateAction, use, useEffect } from 'react';

type Titles = Readonly<Record<number, string>>;

/** Where the titles of pages within a page are told, for that of the window. */
export const InnerTitles = createContext<Dispatch<SetStateAction<Titles>>>(() => {});

type PageTitleProps = {
  /** 1: of the page; 2 and 3: of a page within it, as that of a dataset within a project. */
  order: 1 | 2 | 3;
  /** Which of its pages this is: not seen, as a tab shows it, but read out. */
  place?: string | undefined;
  id?: string;
  children: string;
};

/** What a page is known by: it gets the focus when somebody comes to the page, the innermost of them. */
export function PageTitle({ order, place, id, children }: PageTitleProps) {
  const setTitles = use(InnerTitles);
  const title = place === undefined ? children : `${place} · ${children}`;
  useEffect(() => {
    if (order === 1) return;
    setTitles((now) => ({ ...now, [order]: title }));
    return () => setTitles(({ [order]: _gone, ...rest }) => rest);
  }, [order, title, setTitles]);
  // It came later than the page around it, which has got the focus meanwhile.
  useEffect(() => {
    if (document.activeElement?.matches(pageTitles)) focusPageTitle();
  }, []);
  const Heading = `h${order}` as const;
  return (
    <Heading id={id} tabIndex={-1} data-page-title>
      {place !== undefined && <span className="visually-hidden">{place}, </span>}
      {children}
    </Heading>
  );
}

const pageTitles = 'main [data-page-title]';

/** The innermost one stands last. */
export function focusPageTitle(): void {
  [...document.querySelectorAll<HTMLElement>(pageTitles)].at(-1)?.focus({ preventScroll: true });
}
