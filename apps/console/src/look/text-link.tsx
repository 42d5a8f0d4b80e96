import { Anchor } from '@mantine/core';
import { createLink } from '@tanstack/react-router';

/** A link to another screen, or to this one with another search. */
export const TextLink = createLink(Anchor);
