// The sentences of links: pages that set a password or confirm an address, and the mails that lead to them.
const en = {
  forgotten: 'Forgotten your password?',
  ask: {
    title: 'Forgotten password',
    lead: 'Enter the email address of your account. We send a link to set a new password.',
    submit: 'Send the link',
    sent: {
      title: 'Look into your mailbox',
      text: 'If an account has this address, a mail with a link is on its way. The link works once, for a day.',
    },
  },
  set: {
    title: 'Set your password',
    lead: 'All sessions, the access of applications and API keys of the account end.',
    submit: 'Set the password',
    done: { title: 'Your password is set', text: 'You can sign in with it now.' },
  },
  verify: {
    title: 'Confirm your email address',
    lead: 'So that we know that mails to this address reach you.',
    submit: 'Confirm',
    send: 'Send a mail to confirm the address',
    sent: 'The mail is on its way. Its link works once, for a day.',
    done: { title: 'Your email address is confirmed', text: 'You can close this page.' },
  },
  bad: {
    title: 'This link does not work any more',
    text: 'It was used, is older than a day, or your account was changed since. Ask for another one.',
  },
  mails: {
    invitation: {
      subject: 'Your Tradewind account',
      text: 'An account was made for you. Set your password with this link. It works once, for a day.',
    },
    password: {
      subject: 'Set a new password',
      text: 'Somebody, probably you, asked for a new password of your Tradewind account. Set it with this link. It works once, for a day.',
    },
    email: {
      subject: 'Confirm your email address',
      text: 'Confirm with this link that this is the address of your Tradewind account. It works once, for a day.',
    },
  },
  mailEnd: 'If you expected no such mail, do nothing: without the link nothing changes.',
};

export type LinkMessages = typeof en;

const de: LinkMessages = {
  forgotten: 'Passwort vergessen?',
  ask: {
    title: 'Passwort vergessen',
    lead: 'Geben Sie die E-Mail-Adresse Ihres Kontos ein. Wir senden einen Link, mit dem Sie ein neues Passwort festlegen.',
    submit: 'Link senden',
    sent: {
      title: 'Sehen Sie in Ihr Postfach',
      text: 'Wenn ein Konto diese Adresse hat, ist eine Mail mit einem Link unterwegs. Der Link gilt einmal, einen Tag lang.',
    },
  },
  set: {
    title: 'Passwort festlegen',
    lead: 'Alle Sitzungen, der Zugriff von Anwendungen und die API-Schlüssel des Kontos enden.',
    submit: 'Passwort festlegen',
    done: { title: 'Ihr Passwort ist festgelegt', text: 'Sie können sich jetzt damit anmelden.' },
  },
  verify: {
    title: 'E-Mail-Adresse bestätigen',
    lead: 'Damit wir wissen, dass Mails an diese Adresse Sie erreichen.',
    submit: 'Bestätigen',
    send: 'Mail zur Bestätigung senden',
    sent: 'Die Mail ist unterwegs. Ihr Link gilt einmal, einen Tag lang.',
    done: { title: 'Ihre E-Mail-Adresse ist bestätigt', text: 'Sie können diese Seite schließen.' },
  },
  bad: {
    title: 'Dieser Link gilt nicht mehr',
    text: 'Er wurde verwendet, ist älter als ein Tag, oder Ihr Konto wurde seitdem geändert. Fordern Sie einen neuen an.',
  },
  mails: {
    invitation: {
      subject: 'Ihr Tradewind-Konto',
      text: 'Für Sie wurde ein Konto angelegt. Legen Sie mit diesem Link Ihr Passwort fest. Er gilt einmal, einen Tag lang.',
    },
    password: {
      subject: 'Neues Passwort festlegen',
      text: 'Jemand, wahrscheinlich Sie, möchte ein neues Passwort für Ihr Tradewind-Konto. Legen Sie es mit diesem Link fest. Er gilt einmal, einen Tag lang.',
    },
    email: {
      subject: 'E-Mail-Adresse bestätigen',
      text: 'Bestätigen Sie mit diesem Link, dass dies die Adresse Ihres Tradewind-Kontos ist. Er gilt einmal, einen Tag lang.',
    },
  },
  mailEnd: 'Wenn Sie keine solche Mail erwartet haben, tun Sie nichts: Ohne den Link ändert sich nichts.',
};

const fr: LinkMessages = {
  forgotten: 'Mot de passe oublié ?',
  ask: {
    title: 'Mot de passe oublié',
    lead: 'Saisissez l’adresse e-mail de votre compte. Nous envoyons un lien pour choisir un nouveau mot de passe.',
    submit: 'Envoyer le lien',
    sent: {
      title: 'Regardez dans votre boîte de réception',
      text: 'Si un compte a cette adresse, un e-mail avec un lien est en route. Le lien sert une fois, pendant un jour.',
    },
  },
  set: {
    title: 'Choisir votre mot de passe',
    lead: 'Toutes les sessions, l’accès des applications et les clés d’API du compte prennent fin.',
    submit: 'Choisir ce mot de passe',
    done: { title: 'Votre mot de passe est enregistré', text: 'Vous pouvez maintenant vous connecter.' },
  },
  verify: {
    title: 'Confirmer votre adresse e-mail',
    lead: 'Pour que nous sachions que les e-mails à cette adresse vous parviennent.',
    submit: 'Confirmer',
    send: 'Envoyer un e-mail de confirmation',
    sent: 'L’e-mail est en route. Son lien sert une fois, pendant un jour.',
    done: { title: 'Votre adresse e-mail est confirmée', text: 'Vous pouvez fermer cette page.' },
  },
  bad: {
    title: 'Ce lien n’est plus valable',
    text: 'Il a déjà servi, date de plus d’un jour, ou votre compte a changé depuis. Demandez-en un autre.',
  },
  mails: {
    invitation: {
      subject: 'Votre compte Tradewind',
      text: 'Un compte a été créé pour vous. Choisissez votre mot de passe avec ce lien. Il sert une fois, pendant un jour.',
    },
    password: {
      subject: 'Choisir un nouveau mot de passe',
      text: 'Quelqu’un, sans doute vous, demande un nouveau mot de passe pour votre compte Tradewind. Choisissez-le avec ce lien. Il sert une fois, pendant un jour.',
    },
    email: {
      subject: 'Confirmer votre adresse e-mail',
      text: 'Confirmez avec ce lien que cette adresse est celle de votre compte Tradewind. Il sert une fois, pendant un jour.',
    },
  },
  mailEnd: 'Si vous n’attendiez pas cet e-mail, ne faites rien : sans le lien, rien ne change.',
};

const es: LinkMessages = {
  forgotten: '¿Ha olvidado su contraseña?',
  ask: {
    title: 'Contraseña olvidada',
    lead: 'Introduzca el correo electrónico de su cuenta. Enviamos un enlace para elegir una contraseña nueva.',
    submit: 'Enviar el enlace',
    sent: {
      title: 'Mire en su buzón',
      text: 'Si una cuenta tiene esta dirección, un correo con un enlace está en camino. El enlace sirve una vez, durante un día.',
    },
  },
  set: {
    title: 'Elegir su contraseña',
    lead: 'Terminan todas las sesiones, el acceso de las aplicaciones y las claves de API de la cuenta.',
    submit: 'Guardar la contraseña',
    done: { title: 'Su contraseña está guardada', text: 'Ya puede iniciar sesión con ella.' },
  },
  verify: {
    title: 'Confirmar su correo electrónico',
    lead: 'Para saber que los correos a esta dirección le llegan.',
    submit: 'Confirmar',
    send: 'Enviar un correo de confirmación',
    sent: 'El correo está en camino. Su enlace sirve una vez, durante un día.',
    done: { title: 'Su correo electrónico está confirmado', text: 'Puede cerrar esta página.' },
  },
  bad: {
    title: 'Este enlace ya no sirve',
    text: 'Se usó, tiene más de un día o su cuenta ha cambiado desde entonces. Pida otro.',
  },
  mails: {
    invitation: {
      subject: 'Su cuenta de Tradewind',
      text: 'Se ha creado una cuenta para usted. Elija su contraseña con este enlace. Sirve una vez, durante un día.',
    },
    password: {
      subject: 'Elegir una contraseña nueva',
      text: 'Alguien, probablemente usted, ha pedido una contraseña nueva para su cuenta de Tradewind. Elíjala con este enlace. Sirve una vez, durante un día.',
    },
    email: {
      subject: 'Confirmar su correo electrónico',
      text: 'Confirme con este enlace que esta es la dirección de su cuenta de Tradewind. Sirve una vez, durante un día.',
    },
  },
  mailEnd: 'Si no esperaba este correo, no haga nada: sin el enlace no cambia nada.',
};

export const linkMessages = { en, de, fr, es };
