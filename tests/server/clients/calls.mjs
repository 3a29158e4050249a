// What the clients' scripts share: node SCRIPT URL, in a folder where the packages are.
import { createRequire } from 'node:module';
import assert from 'node:assert/strict';

export const url = process.argv[2];
export const question = 'What is Fireside?';
export const schema = {
  type: 'object', properties: { town: { enum: ['Oslo', 'Rome'] }, days: { type: 'integer', minimum: 1, maximum: 9 } },
  required: ['town', 'days'], additionalProperties: false };

const require = createRequire(process.cwd() + '/');
export const load = (name) => import(require.resolve(name));

export function assertFits(value) {
  assert.deepEqual(Object.keys(value).sort(), ['days', 'town']);
  assert.ok(['Oslo', 'Rome'].includes(value.town) && value.days >= 1 && value.days <= 9, JSON.stringify(value));
}

// Runs them one after the other and tells each that passes.
export async function run(client, calls) {
  for (const [name, call] of Object.entries(calls)) {
    await call();
    console.log(`passed ${client} ${name}`);
  }
}
