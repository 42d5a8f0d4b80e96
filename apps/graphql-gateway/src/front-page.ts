// What a browser gets at the address of this service.
import type { FrontPage, PageLink } from '@tradewind/service-kit';
import type { AppConfig } from './app.config.js';

export function frontPage(config: AppConfig): FrontPage {
  return { texts, links: config.EXPLORER ? [explorer] : [] };
}

const texts: FrontPage['texts'] = {
  en: { title: 'Data API', lead: 'Persons, companies, deals and contacts over GraphQL, with an API key.' },
  de: {
    title: 'Daten-API',
    lead: 'Personen, Unternehmen, Abschlüsse und Kontakte über GraphQL, mit einem API-Schlüssel.',
  },
  fr: { title: 'API de données', lead: 'Personnes, entreprises, contrats et contacts en GraphQL, avec une clé d’API.' },
  es: { title: 'API de datos', lead: 'Personas, empresas, acuerdos y contactos por GraphQL, con una clave de API.' },
};

const explorer: PageLink = {
  path: '/explorer',
  texts: {
    en: { name: 'Explorer', meaning: 'Write queries with help from the schema, and read the answers.' },
    de: { name: 'Explorer', meaning: 'Abfragen mit Hilfe des Schemas schreiben und die Antworten lesen.' },
    fr: { name: 'Explorateur', meaning: 'Écrire des requêtes à l’aide du schéma et lire les réponses.' },
    es: { name: 'Explorador', meaning: 'Escribir consultas con ayuda del esquema y leer las respuestas.' },
  },
};
