import { Drawer } from '@mantine/core';
import { useTexts } from '../../i18n/catalogue.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { Brand } from '../../ui/brand.tsx';
import { useOpened } from '../../ui/dialog.tsx';
import { plainHeader } from '../../ui/plain-header.ts';
import { SideNavigation } from './side-navigation.tsx';

type NavigationDrawerProps = { isOpen: boolean; onClose: () => void };

/** The side bar on narrow screens. */
export function NavigationDrawer({ isOpen, onClose }: NavigationDrawerProps) {
  const { close } = useTexts(sharedTexts);
  return (
    <Drawer
      opened={useOpened(isOpen)}
      onClose={onClose}
      size={280}
      title={<Brand />}
      closeButtonProps={{ 'aria-label': close }}
      attributes={plainHeader}
      transitionProps={{ duration: 150 }}
    >
      <SideNavigation />
    </Drawer>
  );
}
