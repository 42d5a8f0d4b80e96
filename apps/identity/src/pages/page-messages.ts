// Every sentence of the pages, in each language; others are in account-messages.ts, second-factor-messages.ts and
// link-messages.ts. The first language is used when the browser asks for none of them.
import { pageLanguageOf } from '@tradewind/service-kit';
import { accountMessages } from './account-messages.js';
import { linkMessages } from './link-messages.js';
import { secondFactorMessages } from './second-factor-messages.js';

export interface Permission {
  name: string;
  meaning: string;
}

const en = {
  language: 'en',
  /** At the address of the service itself. */
  listing: {
    title: 'Sign-in service',
    lead: 'This service signs people and applications in.',
    account: 'Your password, sessions, and the applications that have access.',
    endpoints: 'Endpoints for applications',
  },
  account: accountMessages.en,
  secondFactor: secondFactorMessages.en,
  links: linkMessages.en,
  password: { show: 'Show', hide: 'Hide' },
  signIn: {
    title: 'Sign in',
    lead: (client: string) => `Sign in to continue to ${client}.`,
    email: 'Email address',
    password: 'Password',
    submit: 'Sign in',
    /** Where a client lets the user choose an account. */
    continueAs: (email: string) => `Continue as ${email}`,
    other: 'Not you? Sign in with another account',
    switchAccount: 'Not you? Use another account',
  },
  consent: {
    title: (client: string) => `Allow ${client} to use your account?`,
    lead: (client: string) => `${client} would like to:`,
    signedInAs: 'Signed in as',
    redirectsTo: 'You will be sent to',
    localWarning: 'This is an application on your own device. Allow it only if you have just started it yourself.',
    unverified: 'Not verified: this application registered itself, and nobody has checked who is behind it.',
    submit: 'Allow',
    terms: 'Terms of service',
    privacy: 'Privacy policy',
  },
  signOut: {
    title: 'Sign out?',
    lead: 'You are about to sign out on this browser.',
    leadOf: (client: string) => `${client} asks to sign you out on this browser.`,
    submit: 'Sign out',
    stay: 'Stay signed in',
    onlyOf: (client: string) => `Sign out of ${client} only`,
    done: { title: 'You are signed out', text: 'You can close this page.' },
    stayed: {
      title: 'You are still signed in',
      text: 'Nothing was changed.',
      textOf: (client: string) => `You are signed out of ${client} only.`,
    },
  },
  cancel: 'Cancel',
  /** A form that posts itself: to a client that wants its answer so, or to end the session of another account. */
  forward: {
    title: 'One moment',
    text: 'If nothing happens, continue to the application.',
    switchTitle: 'Signing in as somebody else',
    switchText: 'Another account is signed in on this browser. It is signed out when you continue.',
    submit: 'Continue',
  },
  scopes: {
    openid: { name: 'Know who you are', meaning: 'Recognise your account when you come back.' },
    profile: { name: 'See your profile', meaning: 'Your name, user name and role.' },
    email: { name: 'See your email address', meaning: 'And whether it has been verified.' },
    offline_access: { name: 'Stay connected', meaning: 'Keep this access while you are away, until you or we end it.' },
  } as Record<string, Permission>,
  /** What a token for each resource allows; other resources are shown by their identifier. */
  resources: {
    'urn:tradewind:pipelines': {
      name: 'Run data collection',
      meaning: 'Start and stop collection runs, spend their budget and see their results, with your rights.',
    },
    'urn:tradewind:data': {
      name: 'Manage your API keys',
      meaning: 'See, make and revoke them, and see your usage.',
    },
    'urn:tradewind:identity': {
      name: 'Manage accounts',
      meaning: 'Change your account, and everybody’s if you are an administrator.',
    },
  } as Record<string, Permission>,
  otherResource: {
    name: (resource: string) => `Use ${resource}`,
    meaning: 'Do there whatever you may do, in your name.',
  },
  errors: {
    prefix: 'Error',
    summary: 'There is a problem',
    credentials: 'The email address or the password is not correct.',
    throttled: (minutes: number) =>
      `Too many attempts. Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`,
    forged: {
      title: 'This form cannot be used',
      text: 'It was opened in another window, or too long ago. Nothing was changed. Go back to the application and sign in again.',
    },
    expired: {
      title: 'This sign-in has expired',
      text: 'It took too long, was finished already, or your browser keeps no cookies. Go back to the application and start again.',
    },
    signOutExpired: {
      title: 'This form was used already',
      text: 'Or it was opened again in another window. If you are still signed in, sign out again.',
    },
    request: {
      title: 'The application sent a request we cannot accept',
      text: 'Only its developers can fix this; there is nothing for you to do here.',
    },
    unavailable: { title: 'Sign-in is not available right now', text: 'Try again in a few seconds.' },
    failed: { title: 'Something went wrong on our side', text: 'Try again. If it keeps happening, tell us.' },
    notFound: { title: 'There is nothing here', text: 'Check the address.' },
    details: 'For the application’s developers',
  },
};

export type PageMessages = typeof en;

const de: PageMessages = {
  language: 'de',
  listing: {
    title: 'Anmeldedienst',
    lead: 'Dieser Dienst meldet Menschen und Anwendungen an.',
    account: 'Ihr Passwort, Ihre Sitzungen und die Anwendungen mit Zugriff.',
    endpoints: 'Endpunkte für Anwendungen',
  },
  account: accountMessages.de,
  secondFactor: secondFactorMessages.de,
  links: linkMessages.de,
  password: { show: 'Anzeigen', hide: 'Verbergen' },
  signIn: {
    title: 'Anmelden',
    lead: (client) => `Melden Sie sich an, um mit ${client} fortzufahren.`,
    email: 'E-Mail-Adresse',
    password: 'Passwort',
    submit: 'Anmelden',
    continueAs: (email) => `Weiter als ${email}`,
    other: 'Sind Sie das nicht? Mit einem anderen Konto anmelden',
    switchAccount: 'Sind Sie das nicht? Anderes Konto verwenden',
  },
  consent: {
    title: (client) => `Darf ${client} Ihr Konto verwenden?`,
    lead: (client) => `${client} möchte:`,
    signedInAs: 'Angemeldet als',
    redirectsTo: 'Sie werden weitergeleitet zu',
    localWarning:
      'Das ist eine Anwendung auf Ihrem eigenen Gerät. Erlauben Sie es nur, wenn Sie sie gerade selbst gestartet haben.',
    unverified:
      'Nicht geprüft: Diese Anwendung hat sich selbst registriert, und niemand hat geprüft, wer dahintersteht.',
    submit: 'Erlauben',
    terms: 'Nutzungsbedingungen',
    privacy: 'Datenschutz',
  },
  signOut: {
    title: 'Abmelden?',
    lead: 'Sie melden sich in diesem Browser ab.',
    leadOf: (client) => `${client} möchte Sie in diesem Browser abmelden.`,
    submit: 'Abmelden',
    stay: 'Angemeldet bleiben',
    onlyOf: (client) => `Nur von ${client} abmelden`,
    done: { title: 'Sie sind abgemeldet', text: 'Sie können diese Seite schließen.' },
    stayed: {
      title: 'Sie sind noch angemeldet',
      text: 'Nichts wurde geändert.',
      textOf: (client) => `Sie sind nur von ${client} abgemeldet.`,
    },
  },
  cancel: 'Abbrechen',
  forward: {
    title: 'Einen Moment',
    text: 'Falls nichts geschieht, fahren Sie mit der Anwendung fort.',
    switchTitle: 'Anmeldung mit einem anderen Konto',
    switchText: 'In diesem Browser ist ein anderes Konto angemeldet. Es wird abgemeldet, wenn Sie fortfahren.',
    submit: 'Weiter',
  },
  scopes: {
    openid: { name: 'Wissen, wer Sie sind', meaning: 'Ihr Konto wiedererkennen, wenn Sie zurückkommen.' },
    profile: { name: 'Ihr Profil sehen', meaning: 'Ihren Namen, Benutzernamen und Ihre Rolle.' },
    email: { name: 'Ihre E-Mail-Adresse sehen', meaning: 'Und ob sie bestätigt ist.' },
    offline_access: {
      name: 'Verbunden bleiben',
      meaning: 'Den Zugriff behalten, während Sie weg sind, bis Sie oder wir ihn beenden.',
    },
  },
  resources: {
    'urn:tradewind:pipelines': {
      name: 'Datenerfassung steuern',
      meaning: 'Erfassungen starten und abbrechen, ihr Budget ausgeben und ihre Ergebnisse sehen, mit Ihren Rechten.',
    },
    'urn:tradewind:data': {
      name: 'Ihre API-Schlüssel verwalten',
      meaning: 'Sie sehen, anlegen und widerrufen, und Ihre Nutzung sehen.',
    },
    'urn:tradewind:identity': {
      name: 'Konten verwalten',
      meaning: 'Ihr Konto ändern, und die Konten aller, falls Sie Administrator sind.',
    },
  },
  otherResource: {
    name: (resource) => `${resource} verwenden`,
    meaning: 'Dort in Ihrem Namen alles tun, was Sie dürfen.',
  },
  errors: {
    prefix: 'Fehler',
    summary: 'Es gibt ein Problem',
    credentials: 'E-Mail-Adresse oder Passwort ist nicht richtig.',
    throttled: (minutes) =>
      `Zu viele Versuche. Versuchen Sie es in ${minutes === 1 ? 'einer Minute' : `${minutes} Minuten`} wieder.`,
    forged: {
      title: 'Dieses Formular kann nicht verwendet werden',
      text: 'Es wurde in einem anderen Fenster oder vor zu langer Zeit geöffnet. Nichts wurde geändert. Gehen Sie zurück zur Anwendung und melden Sie sich neu an.',
    },
    expired: {
      title: 'Diese Anmeldung ist abgelaufen',
      text: 'Sie hat zu lange gedauert, war schon abgeschlossen, oder Ihr Browser behält keine Cookies. Gehen Sie zurück zur Anwendung und beginnen Sie neu.',
    },
    signOutExpired: {
      title: 'Dieses Formular wurde schon verwendet',
      text: 'Oder es wurde in einem anderen Fenster noch einmal geöffnet. Falls Sie noch angemeldet sind, melden Sie sich noch einmal ab.',
    },
    request: {
      title: 'Die Anwendung hat eine Anfrage gesendet, die wir nicht annehmen können',
      text: 'Das müssen ihre Entwickler beheben; hier können Sie nichts tun.',
    },
    unavailable: {
      title: 'Die Anmeldung ist gerade nicht verfügbar',
      text: 'Versuchen Sie es in einigen Sekunden wieder.',
    },
    failed: {
      title: 'Bei uns ist etwas schiefgegangen',
      text: 'Versuchen Sie es noch einmal. Wenn es wieder geschieht, sagen Sie uns Bescheid.',
    },
    notFound: { title: 'Hier gibt es nichts', text: 'Prüfen Sie die Adresse.' },
    details: 'Für die Entwickler der Anwendung',
  },
};

const fr: PageMessages = {
  language: 'fr',
  listing: {
    title: 'Service de connexion',
    lead: 'Ce service connecte les personnes et les applications.',
    account: 'Votre mot de passe, vos sessions et les applications autorisées.',
    endpoints: 'Points d’accès pour les applications',
  },
  account: accountMessages.fr,
  secondFactor: secondFactorMessages.fr,
  links: linkMessages.fr,
  password: { show: 'Afficher', hide: 'Masquer' },
  signIn: {
    title: 'Connexion',
    lead: (client) => `Connectez-vous pour continuer vers ${client}.`,
    email: 'Adresse e-mail',
    password: 'Mot de passe',
    submit: 'Se connecter',
    continueAs: (email) => `Continuer en tant que ${email}`,
    other: 'Ce n’est pas vous ? Connectez-vous avec un autre compte',
    switchAccount: 'Ce n’est pas vous ? Utiliser un autre compte',
  },
  consent: {
    title: (client) => `Autoriser ${client} à utiliser votre compte\u00a0?`,
    lead: (client) => `${client} souhaite\u00a0:`,
    signedInAs: 'Connecté en tant que',
    redirectsTo: 'Vous serez dirigé vers',
    localWarning:
      'C’est une application sur votre propre appareil. N’autorisez que si vous venez de la lancer vous-même.',
    unverified:
      'Non vérifiée : cette application s’est enregistrée elle-même, et personne n’a vérifié qui est derrière.',
    submit: 'Autoriser',
    terms: 'Conditions d’utilisation',
    privacy: 'Confidentialité',
  },
  signOut: {
    title: 'Se déconnecter\u00a0?',
    lead: 'Vous allez vous déconnecter dans ce navigateur.',
    leadOf: (client) => `${client} demande à vous déconnecter dans ce navigateur.`,
    submit: 'Se déconnecter',
    stay: 'Rester connecté',
    onlyOf: (client) => `Se déconnecter de ${client} seulement`,
    done: { title: 'Vous êtes déconnecté', text: 'Vous pouvez fermer cette page.' },
    stayed: {
      title: 'Vous êtes toujours connecté',
      text: 'Rien n’a été modifié.',
      textOf: (client) => `Vous êtes déconnecté de ${client} seulement.`,
    },
  },
  cancel: 'Annuler',
  forward: {
    title: 'Un instant',
    text: 'Si rien ne se passe, continuez vers l’application.',
    switchTitle: 'Connexion avec un autre compte',
    switchText: 'Un autre compte est connecté dans ce navigateur. Il sera déconnecté si vous continuez.',
    submit: 'Continuer',
  },
  scopes: {
    openid: { name: 'Savoir qui vous êtes', meaning: 'Reconnaître votre compte à votre retour.' },
    profile: { name: 'Voir votre profil', meaning: 'Votre nom, votre nom d’utilisateur et votre rôle.' },
    email: { name: 'Voir votre adresse e-mail', meaning: 'Et si elle a été vérifiée.' },
    offline_access: {
      name: 'Rester connecté',
      meaning: 'Garder cet accès en votre absence, jusqu’à ce que vous ou nous y mettions fin.',
    },
  },
  resources: {
    'urn:tradewind:pipelines': {
      name: 'Piloter la collecte de données',
      meaning: 'Lancer et arrêter des collectes, dépenser leur budget et voir leurs résultats, avec vos droits.',
    },
    'urn:tradewind:data': {
      name: 'Gérer vos clés d’API',
      meaning: 'Les voir, en créer et en révoquer, et voir votre consommation.',
    },
    'urn:tradewind:identity': {
      name: 'Gérer des comptes',
      meaning: 'Modifier votre compte, et ceux de tous si vous êtes administrateur.',
    },
  },
  otherResource: {
    name: (resource) => `Utiliser ${resource}`,
    meaning: 'Y faire en votre nom tout ce que vous pouvez faire.',
  },
  errors: {
    prefix: 'Erreur',
    summary: 'Il y a un problème',
    credentials: 'L’adresse e-mail ou le mot de passe est incorrect.',
    throttled: (minutes) =>
      `Trop de tentatives. Réessayez dans ${minutes === 1 ? 'une minute' : `${minutes} minutes`}.`,
    forged: {
      title: 'Ce formulaire ne peut pas être utilisé',
      text: 'Il a été ouvert dans une autre fenêtre ou il y a trop longtemps. Rien n’a été modifié. Retournez à l’application et reconnectez-vous.',
    },
    expired: {
      title: 'Cette connexion a expiré',
      text: 'Elle a pris trop de temps, était déjà terminée, ou votre navigateur n’accepte pas les cookies. Retournez à l’application et recommencez.',
    },
    signOutExpired: {
      title: 'Ce formulaire a déjà été utilisé',
      text: 'Ou il a été rouvert dans une autre fenêtre. Si vous êtes toujours connecté, déconnectez-vous à nouveau.',
    },
    request: {
      title: 'L’application a envoyé une demande que nous ne pouvons pas accepter',
      text: 'C’est à ses auteurs de la corriger ; vous ne pouvez rien y faire ici.',
    },
    unavailable: {
      title: 'La connexion n’est pas disponible pour le moment',
      text: 'Réessayez dans quelques secondes.',
    },
    failed: { title: 'Un problème est survenu de notre côté', text: 'Réessayez. Si cela se reproduit, dites-le-nous.' },
    notFound: { title: 'Il n’y a rien ici', text: 'Vérifiez l’adresse.' },
    details: 'Pour les auteurs de l’application',
  },
};

const es: PageMessages = {
  language: 'es',
  listing: {
    title: 'Servicio de inicio de sesión',
    lead: 'Este servicio inicia la sesión de personas y aplicaciones.',
    account: 'Su contraseña, sus sesiones y las aplicaciones con acceso.',
    endpoints: 'Puntos de acceso para aplicaciones',
  },
  account: accountMessages.es,
  secondFactor: secondFactorMessages.es,
  links: linkMessages.es,
  password: { show: 'Mostrar', hide: 'Ocultar' },
  signIn: {
    title: 'Iniciar sesión',
    lead: (client) => `Inicie sesión para continuar a ${client}.`,
    email: 'Correo electrónico',
    password: 'Contraseña',
    submit: 'Iniciar sesión',
    continueAs: (email) => `Continuar como ${email}`,
    other: '¿No es usted? Inicie sesión con otra cuenta',
    switchAccount: '¿No es usted? Usar otra cuenta',
  },
  consent: {
    title: (client) => `¿Permitir que ${client} use su cuenta?`,
    lead: (client) => `${client} desea:`,
    signedInAs: 'Sesión iniciada como',
    redirectsTo: 'Se le enviará a',
    localWarning: 'Es una aplicación en su propio dispositivo. Permítalo solo si acaba de iniciarla usted.',
    unverified: 'No verificada: esta aplicación se registró a sí misma y nadie ha comprobado quién está detrás.',
    submit: 'Permitir',
    terms: 'Condiciones de uso',
    privacy: 'Privacidad',
  },
  signOut: {
    title: '¿Cerrar sesión?',
    lead: 'Va a cerrar la sesión en este navegador.',
    leadOf: (client) => `${client} pide cerrar su sesión en este navegador.`,
    submit: 'Cerrar sesión',
    stay: 'Mantener la sesión',
    onlyOf: (client) => `Cerrar la sesión solo en ${client}`,
    done: { title: 'Ha cerrado la sesión', text: 'Puede cerrar esta página.' },
    stayed: {
      title: 'Su sesión sigue iniciada',
      text: 'No se ha cambiado nada.',
      textOf: (client) => `Ha cerrado la sesión solo en ${client}.`,
    },
  },
  cancel: 'Cancelar',
  forward: {
    title: 'Un momento',
    text: 'Si no ocurre nada, continúe a la aplicación.',
    switchTitle: 'Inicio de sesión con otra cuenta',
    switchText: 'En este navegador hay otra cuenta con la sesión iniciada. Se cerrará al continuar.',
    submit: 'Continuar',
  },
  scopes: {
    openid: { name: 'Saber quién es usted', meaning: 'Reconocer su cuenta cuando vuelva.' },
    profile: { name: 'Ver su perfil', meaning: 'Su nombre, nombre de usuario y función.' },
    email: { name: 'Ver su correo electrónico', meaning: 'Y si está verificado.' },
    offline_access: {
      name: 'Mantener la conexión',
      meaning: 'Mantener este acceso en su ausencia, hasta que usted o nosotros lo terminemos.',
    },
  },
  resources: {
    'urn:tradewind:pipelines': {
      name: 'Dirigir la recogida de datos',
      meaning: 'Iniciar y detener recogidas, gastar su presupuesto y ver sus resultados, con sus derechos.',
    },
    'urn:tradewind:data': {
      name: 'Gestionar sus claves de API',
      meaning: 'Verlas, crearlas y revocarlas, y ver su consumo.',
    },
    'urn:tradewind:identity': {
      name: 'Gestionar cuentas',
      meaning: 'Cambiar su cuenta, y las de todos si usted es administrador.',
    },
  },
  otherResource: {
    name: (resource) => `Usar ${resource}`,
    meaning: 'Hacer allí en su nombre todo lo que usted puede hacer.',
  },
  errors: {
    prefix: 'Error',
    summary: 'Hay un problema',
    credentials: 'El correo electrónico o la contraseña no son correctos.',
    throttled: (minutes) =>
      `Demasiados intentos. Vuelva a intentarlo en ${minutes === 1 ? 'un minuto' : `${minutes} minutos`}.`,
    forged: {
      title: 'Este formulario no se puede usar',
      text: 'Se abrió en otra ventana o hace demasiado tiempo. No se ha cambiado nada. Vuelva a la aplicación e inicie sesión de nuevo.',
    },
    expired: {
      title: 'Este inicio de sesión ha caducado',
      text: 'Tardó demasiado, ya había terminado o su navegador no guarda cookies. Vuelva a la aplicación y empiece de nuevo.',
    },
    signOutExpired: {
      title: 'Este formulario ya se usó',
      text: 'O se abrió de nuevo en otra ventana. Si su sesión sigue iniciada, ciérrela otra vez.',
    },
    request: {
      title: 'La aplicación envió una solicitud que no podemos aceptar',
      text: 'Deben corregirla sus autores; usted no puede hacer nada aquí.',
    },
    unavailable: {
      title: 'El inicio de sesión no está disponible ahora',
      text: 'Vuelva a intentarlo en unos segundos.',
    },
    failed: { title: 'Algo ha fallado por nuestra parte', text: 'Vuelva a intentarlo. Si sigue ocurriendo, avísenos.' },
    notFound: { title: 'Aquí no hay nada', text: 'Compruebe la dirección.' },
    details: 'Para los autores de la aplicación',
  },
};

export const languages: readonly PageMessages[] = [en, de, fr, es];

/** The messages for what the client (`ui_locales`) and then the browser (`Accept-Language`) ask for, best first. */
export function messagesFor(uiLocales: unknown, acceptLanguage: string | undefined): PageMessages {
  const wanted = pageLanguageOf(acceptLanguage, uiLocales);
  return languages.find(({ language }) => language === wanted) ?? en;
}
