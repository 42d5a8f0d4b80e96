// The look of identity's pages: the same colours, corners and focus in both colour schemes (page-styles.ts there). Text
// and controls have the contrast of WCAG 2.2 AA.
import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core';

const brand: MantineColorsTuple = [
  '#e7f3fa',
  '#cfe6f3',
  '#a5d8f5',
  '#7cc4ec',
  '#4ba6d6',
  '#2288bb',
  '#11709f',
  '#0b5c86',
  '#084763',
  '#06202f',
];

/** What the components make their own colours of in the dark scheme; those of the library are grey. */
const dark: MantineColorsTuple = [
  '#e8eef4',
  '#cdd8e2',
  '#a9b8c6',
  '#93a4b4',
  '#2a3947',
  '#1b2935',
  '#0f1820',
  '#16212c',
  '#0d151d',
  '#0a1118',
];

export const theme = createTheme({
  primaryColor: 'brand',
  primaryShade: { light: 7, dark: 3 },
  colors: { brand, dark },
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  headings: { fontWeight: '650' },
  respectReducedMotion: true,
  focusRing: 'auto',
});

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#ffffff',
    '--mantine-color-text': '#14212e',
    '--mantine-color-dimmed': '#4a5a6a',
    '--mantine-color-default-border': '#d5dde6',
    '--mantine-color-error': '#b3261e',
    '--mantine-color-placeholder': '#5f7082',
    '--mantine-color-anchor': '#0b5c86',
    '--tw-ground': '#eef2f6',
    '--tw-field': '#ffffff',
    '--tw-note': '#f3f6f9',
    '--tw-bad': '#b3261e',
    '--tw-bad-ground': '#fdf0ef',
    '--tw-good': '#0b6b3a',
    '--tw-good-ground': '#e8f5ee',
    '--tw-warn': '#8a4b08',
    '--tw-warn-ground': '#fdf3e3',
    '--tw-brand': '#0b5c86',
    '--tw-brand-ground': '#e7f3fa',
    '--tw-field-edge': '#76869a',
    '--tw-focus': '#b45309',
  },
  dark: {
    '--mantine-color-body': '#16212c',
    '--mantine-color-text': '#e8eef4',
    '--mantine-color-dimmed': '#a9b8c6',
    '--mantine-color-default-border': '#2a3947',
    '--mantine-color-error': '#ffb4ab',
    '--mantine-color-placeholder': '#93a4b4',
    '--mantine-color-anchor': '#7cc4ec',
    '--mantine-color-default': '#0f1820',
    '--mantine-color-default-hover': '#1b2935',
    '--tw-ground': '#0d151d',
    '--tw-field': '#0f1820',
    '--tw-note': '#1b2935',
    '--tw-bad': '#ffb4ab',
    '--tw-bad-ground': '#38191a',
    '--tw-good': '#86dcae',
    '--tw-good-ground': '#10301f',
    '--tw-warn': '#fbbf24',
    '--tw-warn-ground': '#33260a',
    '--tw-brand': '#7cc4ec',
    '--tw-brand-ground': '#12303f',
    '--tw-field-edge': '#7b8c9d',
    '--tw-focus': '#fbbf24',
  },
});
