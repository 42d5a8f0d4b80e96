// What a browser gets at the address of this service.
import type { FrontPage } from '@tradewind/service-kit';

export const frontPage: FrontPage = {
  texts: {
    en: {
      title: 'Profiles of a month',
      lead: 'This service receives the batches of a month and starts the scraping of each profile.',
    },
    de: {
      title: 'Profile eines Monats',
      lead: 'Dieser Dienst nimmt die Stapel eines Monats an und startet das Scraping jedes Profils.',
    },
    fr: {
      title: 'Profils d’un mois',
      lead: 'Ce service reçoit les lots d’un mois et lance la collecte de chaque profil.',
    },
    es: {
      title: 'Perfiles de un mes',
      lead: 'Este servicio recibe los lotes de un mes e inicia la extracción de cada perfil.',
    },
  },
};
