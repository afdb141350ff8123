import { Anchor, type AnchorProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes } from 'react';

type TextAnchorProps = AnchorProps & Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof AnchorProps>;

function TextAnchor(props: TextAnchorProps) {
  // Underlined: colour alone does not mark a link.
  return <Anchor underline="always" inherit {...props} />;
}

export const TextLink = createLink(TextAnchor);
