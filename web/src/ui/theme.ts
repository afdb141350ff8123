import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

/** Primary: actions and success. */
const pine: MantineColorsTuple = [
  '#edf6f2',
  '#d8ebe3',
  '#b2d8c9',
  '#83c1ab',
  '#52a389',
  '#2b7c65',
  '#1f6b57',
  '#1a5b4a',
  '#154a3c',
  '#0f382d',
];

/** Secondary: information, and the second line of a chart. */
const ink: MantineColorsTuple = [
  '#eef4fb',
  '#d9e6f5',
  '#b3cdea',
  '#86afdc',
  '#5b90cb',
  '#3b73b4',
  '#2d5f9e',
  '#254f84',
  '#1d3f6a',
  '#152e4e',
];

const amber: MantineColorsTuple = [
  '#fbf5e8',
  '#f5e8c9',
  '#ead09a',
  '#dcb365',
  '#c8943a',
  '#a5771f',
  '#8a6116',
  '#715012',
  '#583e0e',
  '#3f2c0a',
];

const rust: MantineColorsTuple = [
  '#fcf1ee',
  '#f8dfd8',
  '#f0bfb2',
  '#e69a87',
  '#d97459',
  '#c0553a',
  '#a8452f',
  '#8c3926',
  '#6f2d1e',
  '#501f15',
];

/** Warm in light mode, cool in dark mode. */
const gray: MantineColorsTuple = [
  '#f8f8f5',
  '#f3f3ef',
  '#eaeae5',
  '#e1e1db',
  '#cfcfc8',
  '#a6a8a3',
  '#7d8380',
  '#5b626a',
  '#3b4147',
  '#22262b',
];

const dark: MantineColorsTuple = [
  '#e4e7e9',
  '#c6ccd1',
  '#9ea7af',
  '#78828b',
  '#333b41',
  '#2a3036',
  '#1c2125',
  '#141719',
  '#101315',
  '#0b0d0f',
];

const systemFonts =
  'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif';

export const theme = createTheme({
  fontFamily: `"Geist Variable", "Geist Fallback", ${systemFonts}`,
  fontFamilyMonospace:
    'ui-monospace, "SF Mono", SFMono-Regular, Menlo, Consolas, "Liberation Mono", "DejaVu Sans Mono", monospace',
  colors: { pine, ink, amber, rust, gray, dark },
  primaryColor: 'pine',
  primaryShade: { light: 6, dark: 5 },
  white: '#fff',
  black: '#22262b',
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  activeClassName: '',
  radius: { xs: '3px', sm: '5px', md: '8px', lg: '12px', xl: '20px' },
  spacing: { xs: '0.5rem', sm: '0.75rem', md: '1rem', lg: '1.5rem', xl: '2.25rem' },
  fontSizes: { xs: '0.75rem', sm: '0.875rem', md: '0.9375rem', lg: '1.0625rem', xl: '1.25rem' },
  lineHeights: { xs: '1.4', sm: '1.5', md: '1.55', lg: '1.55', xl: '1.5' },
  headings: {
    fontFamily: `"Geist Variable", "Geist Fallback", ${systemFonts}`,
    fontWeight: '600',
    textWrap: 'balance',
    sizes: {
      h1: { fontSize: '1.625rem', lineHeight: '1.25' },
      h2: { fontSize: '1.125rem', lineHeight: '1.35' },
      h3: { fontSize: '0.9375rem', lineHeight: '1.45' },
    },
  },
  shadows: {
    xs: '0 1px 2px rgb(20 24 28 / 5%)',
    sm: '0 1px 2px rgb(20 24 28 / 5%), 0 4px 12px -4px rgb(20 24 28 / 8%)',
    md: '0 2px 4px rgb(20 24 28 / 5%), 0 12px 28px -8px rgb(20 24 28 / 16%)',
    lg: '0 4px 8px rgb(20 24 28 / 6%), 0 24px 48px -12px rgb(20 24 28 / 22%)',
    xl: '0 8px 16px rgb(20 24 28 / 8%), 0 40px 72px -16px rgb(20 24 28 / 28%)',
  },
  // By name and not by `.extend`, which would load every component.
  components: {
    Button: { defaultProps: { size: 'sm' } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray', size: 'lg' } },
    Badge: { defaultProps: { variant: 'light', radius: 'sm', tt: 'none', fw: 500 } },
    // base.css prevents scrolling behind them; the library's way would shift the page.
    Modal: {
      defaultProps: { centered: true, radius: 'lg', lockScroll: false, overlayProps: { backgroundOpacity: 0.45 } },
    },
    Drawer: { defaultProps: { lockScroll: false } },
    // The first item gets the focus: the library would focus an element without a name.
    Menu: { defaultProps: { shadow: 'md', radius: 'md', withInitialFocusPlaceholder: false } },
    Skeleton: { defaultProps: { radius: 'sm' } },
    Switch: { defaultProps: { withThumbIndicator: false } },
    Tooltip: { defaultProps: { openDelay: 300, radius: 'sm' } },
  },
});

/** Backgrounds that stay calm in dark mode. */
const softColors = Object.fromEntries(
  ['pine', 'ink', 'amber', 'rust', 'gray'].flatMap((name) => [
    [`--mantine-color-${name}-light`, `color-mix(in srgb, var(--mantine-color-${name}-5) 20%, var(--surface))`],
    [`--mantine-color-${name}-light-hover`, `color-mix(in srgb, var(--mantine-color-${name}-5) 28%, var(--surface))`],
    [`--mantine-color-${name}-light-color`, `var(--mantine-color-${name}-2)`],
    [`--mantine-color-${name}-outline`, `var(--mantine-color-${name}-3)`],
  ]),
);

/** Differences from the defaults of the library; `tokens.css` has the colours by use. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': 'var(--paper)',
    '--mantine-color-text': 'var(--ink)',
    '--mantine-color-dimmed': 'var(--quiet)',
    '--mantine-color-placeholder': 'var(--quiet)',
    '--mantine-color-default': 'var(--surface)',
    '--mantine-color-default-hover': 'var(--raised)',
    '--mantine-color-default-border': 'var(--line-strong)',
    '--mantine-color-error': 'var(--bad)',
    '--mantine-color-anchor': 'var(--accent-text)',
  },
  dark: {
    ...softColors,
    '--mantine-color-body': 'var(--paper)',
    '--mantine-color-text': 'var(--ink)',
    '--mantine-color-dimmed': 'var(--quiet)',
    '--mantine-color-placeholder': 'var(--quiet)',
    '--mantine-color-default': 'var(--surface)',
    '--mantine-color-default-hover': 'var(--raised)',
    '--mantine-color-default-border': 'var(--line-strong)',
    '--mantine-color-error': 'var(--bad)',
    '--mantine-color-anchor': 'var(--accent-text)',
  },
});
