/**
 * A Markdown table of settings, as `configClass` takes them.
 * @param {Record<string, {desc?: string, kind?: string, secret?: boolean, default?: unknown, defaultIn?: Record<string, unknown>, devDefault?: unknown, example?: string, choices?: unknown[]}>} settings
 */
export function settingsTable(settings) {
  const rows = Object.entries(settings).map(([name, setting]) => {
    const example = setting.example ? `; for example \`${setting.example}\`` : '';
    return [`\`${name}\``, `${setting.desc ?? ''}${example}`, kindOf(setting), defaultOf(setting)];
  });
  const lines = [['setting', 'meaning', 'value', 'default'], ['---', '---', '---', '---'], ...rows].map(
    (cells) => `| ${cells.map((cell) => cell.replace(/\|/g, '\\|')).join(' | ')} |`,
  );
  return `${lines.join('\n')}\n`;
}

function kindOf({ kind, choices }) {
  if (kind) return kind;
  return choices ? choices.map((word) => `\`${word}\``).join(', ') : 'text';
}

function defaultOf(setting) {
  const shown = (value) => {
    const text = Array.isArray(value) ? value.join(',') : String(value);
    return text === '' ? 'empty' : `\`${text}\``;
  };
  const parts = [];
  if (setting.default !== undefined && setting.default !== null)
    parts.push(setting.secret ? 'set' : shown(setting.default));
  else parts.push('default' in setting ? 'none' : '**must be set**');
  for (const [environment, value] of Object.entries(setting.defaultIn ?? {})) {
    parts.push(`in ${environment} ${shown(value)}`);
  }
  if (setting.devDefault !== undefined) parts.push(`in dev ${shown(setting.devDefault)}`);
  return parts.join('; ');
}
