// What a browser gets at the address of this service.
import type { FrontPage } from '@tradewind/service-kit';

export const frontPage: FrontPage = {
  texts: {
    en: {
      title: 'Monthly runs',
      lead: 'This service selects the people of a month, publishes their profiles in batches and reports what is missing.',
    },
    de: {
      title: 'Monatsläufe',
      lead: 'Dieser Dienst wählt die Personen eines Monats aus, veröffentlicht ihre Profile in Stapeln und meldet, was fehlt.',
    },
    fr: {
      title: 'Exécutions mensuelles',
      lead: 'Ce service choisit les personnes d’un mois, publie leurs profils par lots et signale ce qui manque.',
    },
    es: {
      title: 'Ejecuciones mensuales',
      lead: 'Este servicio elige a las personas de un mes, publica sus perfiles por lotes e informa de lo que falta.',
    },
  },
};
