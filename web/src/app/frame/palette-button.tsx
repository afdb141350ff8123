import { ActionIcon, UnstyledButton } from '@mantine/core';
import { useTexts } from '../../i18n/catalogue.ts';
import { IconSearch } from '../../ui/icons.tsx';
import { openPalette, paletteKeys } from '../../ui/shortcut-keys.ts';
import { frameTexts } from './frame-texts.ts';
import styles from './side-navigation.module.css';

/** Opens the search across the app. */
export function PaletteButton({ isCompact = false }: { isCompact?: boolean }) {
  const { palette } = useTexts(frameTexts);
  if (isCompact)
    return (
      <ActionIcon size="xl" aria-label={palette} onClick={openPalette}>
        <IconSearch size={20} />
      </ActionIcon>
    );
  return (
    <UnstyledButton className={styles.palette} aria-keyshortcuts={paletteKeys.join('+')} onClick={openPalette}>
      <IconSearch size={16} />
      {palette}
      <span aria-hidden="true">{paletteKeys.join(' ')}</span>
    </UnstyledButton>
  );
}
