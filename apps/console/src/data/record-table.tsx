// The records in rows: the fields that tell records apart, or those that were chosen. The card has the rest.
import { Table } from '@mantine/core';
import { inReadingOrder, mainFields } from './reading-order';
import type { EntityName, RecordField } from './schema.types';
import { labelOf, valueText } from './wording';

const isAmount = ({ type }: RecordField) => ['Int', 'Float', 'BigInteger', 'Money'].includes(type);

export function RecordTable({
  name,
  fields,
  isChosen,
  records,
  onOpen,
}: {
  name: EntityName;
  fields: readonly RecordField[];
  /** Whether somebody chose the fields. */
  isChosen: boolean;
  records: readonly Record<string, unknown>[];
  onOpen: (index: number) => void;
}) {
  const ordered = inReadingOrder(name, fields);
  const main = ordered.filter((field) => mainFields[name].includes(field.name));
  const columns = isChosen || main.length === 0 ? ordered : main;
  return (
    <div className="card table-card" tabIndex={0} role="region" aria-label="Records">
      <Table verticalSpacing="sm" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            {columns.map((field) => (
              <Table.Th key={field.name} ta={isAmount(field) && !field.isList ? 'right' : 'left'}>
                {labelOf(field.name)}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {records.map((record, index) => (
            // The same record may be on two pages when the data changes between them.
            <Table.Tr key={index}>
              {columns.map((field, column) => {
                const text = valueText(field, record[field.name]) ?? '–';
                return (
                  <Table.Td key={field.name} ta={isAmount(field) && !field.isList ? 'right' : 'left'}>
                    {column === 0 ? (
                      <button type="button" className="open-record" onClick={() => onOpen(index)}>
                        {text}
                      </button>
                    ) : (
                      <span className={isAmount(field) ? 'amount' : 'cell'} title={text.length > 60 ? text : undefined}>
                        {text}
                      </span>
                    )}
                  </Table.Td>
                );
              })}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
