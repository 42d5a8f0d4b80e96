// What a browser gets at the address of this service.
import type { FrontPage } from '@tradewind/service-kit';

export const frontPage: FrontPage = {
  texts: {
    en: {
      title: 'Scraped profiles',
      lead: 'This service receives profiles from the provider, stores them and backs them up.',
    },
    de: {
      title: 'Gelieferte Profile',
      lead: 'Dieser Dienst nimmt Profile vom Anbieter an, speichert sie und sichert sie.',
    },
    fr: {
      title: 'Profils collectés',
      lead: 'Ce service reçoit les profils du fournisseur, les enregistre et les sauvegarde.',
    },
    es: {
      title: 'Perfiles extraídos',
      lead: 'Este servicio recibe los perfiles del proveedor, los guarda y hace copias de seguridad.',
    },
  },
};
