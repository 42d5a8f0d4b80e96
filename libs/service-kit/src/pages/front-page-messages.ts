// What every service says on its pages, in each language: the links that all have, and that nothing is at an address.
import type { InEveryLanguage } from './page-language.js';

export interface LinkText {
  name: string;
  meaning: string;
}

interface FrontPageMessages {
  /** By path. */
  links: Readonly<Record<string, LinkText>>;
  notFound: { title: string; text: string; onward: string; details: string };
}

export const frontPageMessages: InEveryLanguage<FrontPageMessages> = {
  en: {
    links: {
      '/docs': { name: 'API reference', meaning: 'Read every operation, and try it.' },
      '/openapi.json': { name: 'OpenAPI document', meaning: 'The same for programs that make a client from it.' },
      '/health': { name: 'Health', meaning: 'Whether this service runs.' },
      '/ready': { name: 'Readiness', meaning: 'Whether everything that it needs answers.' },
    },
    notFound: {
      title: 'There is nothing here',
      text: 'Check the address.',
      onward: 'What this service has',
      details: 'For developers',
    },
  },
  de: {
    links: {
      '/docs': { name: 'API-Referenz', meaning: 'Jede Operation lesen und ausprobieren.' },
      '/openapi.json': {
        name: 'OpenAPI-Dokument',
        meaning: 'Dasselbe für Programme, die daraus einen Client erzeugen.',
      },
      '/health': { name: 'Zustand', meaning: 'Ob dieser Dienst läuft.' },
      '/ready': { name: 'Bereitschaft', meaning: 'Ob alles antwortet, was er braucht.' },
    },
    notFound: {
      title: 'Hier gibt es nichts',
      text: 'Prüfen Sie die Adresse.',
      onward: 'Was dieser Dienst bietet',
      details: 'Für Entwickler',
    },
  },
  fr: {
    links: {
      '/docs': { name: 'Référence de l’API', meaning: 'Lire chaque opération et l’essayer.' },
      '/openapi.json': {
        name: 'Document OpenAPI',
        meaning: 'La même chose pour les programmes qui en tirent un client.',
      },
      '/health': { name: 'État', meaning: 'Si ce service fonctionne.' },
      '/ready': { name: 'Disponibilité', meaning: 'Si tout ce dont il a besoin répond.' },
    },
    notFound: {
      title: 'Il n’y a rien ici',
      text: 'Vérifiez l’adresse.',
      onward: 'Ce que propose ce service',
      details: 'Pour les développeurs',
    },
  },
  es: {
    links: {
      '/docs': { name: 'Referencia de la API', meaning: 'Leer cada operación y probarla.' },
      '/openapi.json': { name: 'Documento OpenAPI', meaning: 'Lo mismo para programas que crean un cliente con él.' },
      '/health': { name: 'Estado', meaning: 'Si este servicio funciona.' },
      '/ready': { name: 'Disponibilidad', meaning: 'Si responde todo lo que necesita.' },
    },
    notFound: {
      title: 'Aquí no hay nada',
      text: 'Compruebe la dirección.',
      onward: 'Lo que ofrece este servicio',
      details: 'Para desarrolladores',
    },
  },
};
