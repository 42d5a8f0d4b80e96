// What a browser gets at the address of this service.
import type { FrontPage } from '@tradewind/service-kit';

export const frontPage: FrontPage = {
  texts: {
    en: {
      title: 'Scraping jobs',
      lead: 'This service starts jobs on the professional network, follows them and stores their items.',
    },
    de: {
      title: 'Scraping-Aufträge',
      lead: 'Dieser Dienst startet Aufträge im beruflichen Netzwerk, verfolgt sie und speichert ihre Ergebnisse.',
    },
    fr: {
      title: 'Tâches de collecte',
      lead: 'Ce service lance des tâches sur le réseau professionnel, les suit et enregistre leurs éléments.',
    },
    es: {
      title: 'Tareas de extracción',
      lead: 'Este servicio inicia tareas en la red profesional, las sigue y guarda sus elementos.',
    },
  },
};
