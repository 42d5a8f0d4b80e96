// Invented people: plausible, and the same for the same seed and handle.
import { Random } from './random.js';

const listed = (text: string) => text.trim().split(/,\s+/);

const givenNames = listed(`
  Amara, Ben, Chiara, Diego, Elif, Femi, Grace, Hiro, Ines, Jonas, Katya, Liam, Mei, Noor, Oskar, Priya,
  Quentin, Rosa, Samir, Tova, Uma, Viktor, Wren, Ximena, Yusuf, Zofia`);
const familyNames = listed(`
  Adeyemi, Bianchi, Cohen, Dubois, Eriksen, Fischer, García, Haddad, Ivanova, Jensen, Kowalski, Lindqvist,
  Moreau, Nakamura, Okafor, Patel, Quinn, Rossi, Schmidt, Tanaka, Ueda, van Dijk, Wójcik, Xu, Yılmaz, Zhang`);
const roles = listed(`
  Account Executive, Chief Revenue Officer, Data Engineer, Founder, Head of Partnerships, Marketing Director,
  Operations Manager, Product Lead, Sales Director, VP Finance`);
const organisations = listed(`
  Alder Freight, Brightwater Energy, Cobalt Analytics, Dovetail Homes, Evergreen Foods, Fathom Insurance,
  Granite Mobility, Harbour Health`);
const places = [
  'Lisbon, Portugal',
  'Nairobi, Kenya',
  'São Paulo, Brazil',
  'Toronto, Canada',
  'Warsaw, Poland',
  'Yokohama, Japan',
  'Berlin, Germany',
  'Austin, Texas, United States',
];

export interface Profile {
  name: string;
  headline: string;
  location: string;
}

/** The profile of a person as the single-profile call delivers it. */
export function profileOf(seed: string, username: string): Profile {
  const random = new Random(`${seed}/profile/${username}`);
  return {
    name: `${random.pick(givenNames)} ${random.pick(familyNames)}`,
    headline: `${random.pick(roles)} at ${random.pick(organisations)}`,
    location: random.pick(places),
  };
}

/** Somebody who comments or reacts. */
export function actorOf(random: Random, networkUrl: string) {
  const name = `${random.pick(givenNames)} ${random.pick(familyNames)}`;
  const handle = `${name.toLowerCase().replace(/[^a-z]+/g, '-')}-${random.integer(1000, 9999)}`;
  return {
    id: `ACoAA${random.integer(1e9, 9e9).toString(36)}`,
    name,
    linkedinUrl: `${networkUrl}/in/${handle}`,
    position: `${random.pick(roles)} at ${random.pick(organisations)}`,
    pictureUrl: `https://media.licdn.example/${handle}/100.jpg?e=1798761600&t=${random.integer(1e6, 9e6)}`,
    picture: image(`${handle}/200.jpg`, 200, 200),
  };
}

export function image(path: string, width: number, height: number) {
  return { url: `https://media.licdn.example/${path}`, width, height, expiresAt: 1_798_761_600_000 };
}
