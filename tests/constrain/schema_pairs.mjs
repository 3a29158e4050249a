// Makes schema_pairs.jsonl: instances for the schemas below, drawn from what the schemas speak of,
// and what a validator of draft 2020-12 says of each. Needs node with ajv and ajv-formats:
//   node schema_pairs.mjs > schema_pairs.jsonl
//   node schema_pairs.mjs --check WALKS     judges what FIRESIDE_SCHEMA_WALKS=WALKS constrain_test wrote
import fs from 'node:fs';
import { createRequire } from 'node:module';
const require = createRequire(process.cwd() + '/');
const Ajv = require('ajv/dist/2020').default, formats = require('ajv-formats').default;
const ajv = () => formats(new Ajv({ strict: false, allErrors: false }));

const name = { type: 'string', minLength: 1, maxLength: 12 };
const point = { type: 'object', properties: { x: { type: 'number' }, y: { type: 'number' } }, required: ['x', 'y'], additionalProperties: false };
const schemas = [
  {}, true, { type: 'string' }, { type: 'integer' }, { type: 'number' }, { type: 'boolean' }, { type: 'null' }, { type: 'array' }, { type: 'object' },
  { type: ['string', 'null'] }, { type: ['integer', 'boolean', 'array'] },
  { enum: ['red', 'green', 1, null, [1, 2], { a: 1, b: 'x' }] }, { const: { a: [1, { b: null }], c: 'q"\\' } }, { type: 'string', enum: ['a', 'b', 3] },
  { enum: ['aa', 'b', 'ccc', 12, 3], minLength: 2, minimum: 5 },
  { minLength: 3, maxLength: 5, type: 'string' }, { type: 'string', minLength: 20 }, { type: 'string', maxLength: 0 }, { type: 'string', maxLength: 30 },
  { type: 'string', pattern: '^[a-z]{2,4}-\\d+$' }, { type: 'string', pattern: 'ab|^c' }, { type: 'string', pattern: '^\\S+@\\S+$', maxLength: 9 },
  { type: 'string', pattern: '^[^"\\\\]*$' }, { type: 'string', pattern: '[äöü\\n]' }, { allOf: [{ pattern: '^a' }, { pattern: 'b$' }, { maxLength: 4 }], type: 'string' },
  { type: 'string', format: 'date' }, { type: 'string', format: 'time' }, { type: 'string', format: 'date-time' }, { type: 'string', format: 'uuid' },
  { type: 'string', format: 'email' }, { type: 'string', format: 'ipv4' }, { type: 'string', format: 'ipv6' }, { type: 'string', format: 'hostname' },
  { type: 'string', format: 'uri' }, { type: 'string', format: 'duration' }, { type: 'string', format: 'json-pointer' },
  { type: 'integer', minimum: 0 }, { type: 'integer', minimum: -5, maximum: 17 }, { type: 'integer', exclusiveMinimum: 99, exclusiveMaximum: 1002 },
  { type: 'integer', maximum: -10 }, { type: 'number', minimum: 0, maximum: 1 }, { type: 'number', exclusiveMinimum: -2.5, exclusiveMaximum: 2.25 },
  { type: 'number', minimum: 10.75 }, { type: 'number', exclusiveMaximum: 0 }, { type: 'integer', multipleOf: 3, minimum: -12, maximum: 40 }, { multipleOf: 5, type: 'integer' },
  { minimum: 3 }, { type: 'integer', minimum: 2.5, maximum: 5.5 },
  { type: 'array', items: { type: 'integer' } }, { type: 'array', items: { enum: ['x', 'y'] }, minItems: 1, maxItems: 3 }, { type: 'array', minItems: 2 }, { type: 'array', maxItems: 0 },
  { type: 'array', prefixItems: [{ type: 'integer' }, { type: 'string' }], items: false }, { type: 'array', prefixItems: [{ type: 'integer' }, { type: 'string' }], minItems: 2, items: { type: 'null' } },
  { prefixItems: [{ const: 1 }], items: { const: 2 }, maxItems: 4, minItems: 1, type: 'array' }, { type: 'array', items: point, maxItems: 2 },
  { type: 'array', items: { type: 'array', items: { type: 'boolean' }, maxItems: 2 }, minItems: 10, maxItems: 60 },
  point, { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'string' } }, required: ['a'] },
  { type: 'object', properties: { a: true, b: false, c: { const: 1 } }, additionalProperties: { type: 'integer' } },
  { type: 'object', additionalProperties: { type: 'integer' }, maxProperties: 2 }, { type: 'object', minProperties: 1 },
  { type: 'object', properties: { a: {}, b: {}, c: {} }, additionalProperties: false, minProperties: 2 },
  { type: 'object', properties: { a: {}, b: {}, c: {}, d: {} }, additionalProperties: false, maxProperties: 3, required: ['d', 'b'] },
  { type: 'object', patternProperties: { '^s': { type: 'string' }, 'n$': { type: 'integer' } }, additionalProperties: false },
  { type: 'object', patternProperties: { '^x-': { type: 'string' } }, properties: { 'x-a': { maxLength: 2 }, b: { type: 'null' } }, additionalProperties: { type: 'boolean' } },
  { type: 'object', propertyNames: { pattern: '^[a-c]+$', maxLength: 2 }, additionalProperties: { type: 'integer' } },
  { type: 'object', propertyNames: { enum: ['a', 'b'] }, properties: { c: {} } },
  { type: 'object', dependentRequired: { a: ['b'], c: ['a'] }, properties: { a: { type: 'integer' }, b: { type: 'integer' }, c: {} } },
  { type: 'object', dependentSchemas: { a: { properties: { b: { type: 'integer' } }, required: ['b'] } } },
  { anyOf: [{ type: 'integer', minimum: 3 }, { type: 'string', maxLength: 2 }, { type: 'null' }] },
  { anyOf: [{ type: 'object', properties: { kind: { const: 'a' }, n: { type: 'integer' } }, required: ['kind', 'n'] }, { type: 'object', properties: { kind: { const: 'b' }, s: name }, required: ['kind', 's'] }] },
  { oneOf: [{ type: 'object', properties: { kind: { const: 'circle' }, r: { type: 'number', minimum: 0 } }, required: ['kind', 'r'], additionalProperties: false }, { type: 'object', properties: { kind: { const: 'square' }, a: { type: 'number' } }, required: ['kind', 'a'], additionalProperties: false }] },
  { oneOf: [{ type: 'integer', maximum: 4 }, { type: 'integer', minimum: 6 }, { type: 'string', pattern: '^a' }, { type: 'string', pattern: '^b' }] },
  { allOf: [{ type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] }, { properties: { b: { type: 'string' }, a: { minimum: 3 } }, required: ['b'] }] },
  { allOf: [{ anyOf: [{ minimum: 5 }, { maximum: 1 }] }, { anyOf: [{ multipleOf: 2 }, { multipleOf: 3 }] }], type: 'integer' },
  { $defs: { node: { type: 'object', properties: { value: { type: 'integer' }, next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } }, required: ['value', 'next'], additionalProperties: false } }, $ref: '#/$defs/node' },
  { type: 'object', properties: { name, children: { type: 'array', items: { $ref: '#' } } }, required: ['name'], additionalProperties: false },
  { $defs: { pos: { minimum: 1 } }, type: 'integer', allOf: [{ $ref: '#/$defs/pos' }], maximum: 9 },
  { type: 'object', properties: { id: { type: 'integer' }, tags: { type: 'array', items: { type: 'string', minLength: 1 }, maxItems: 3 }, address: { type: 'object', properties: { street: { type: 'string' }, zip: { type: 'string', pattern: '^\\d{5}$' } }, required: ['zip'] }, active: { type: 'boolean' }, score: { type: ['number', 'null'], minimum: 0, maximum: 100 } }, required: ['id', 'tags', 'active'], additionalProperties: false },
  { type: 'object', properties: { reasoning: { type: 'string' }, steps: { type: 'array', items: { type: 'object', properties: { text: name, done: { type: 'boolean' } }, required: ['text', 'done'], additionalProperties: false } }, answer: { enum: ['yes', 'no'] } }, required: ['reasoning', 'steps', 'answer'], additionalProperties: false },
];

let seed = 12345;
const random = n => (seed = (seed * 1103515245 + 12345) % 2147483648, Math.floor(seed / 65536) % n);
const pick = list => list[random(list.length)];
const texts = ['', 'a', 'b', 'ab', 'ba', 'abc', 'circle', 'ab-12', 'abcd-', 'aé😀', 'q"\\', 'x@y', 'hello world', 'a\nb', 'ä', 'cab', 'éé', '😀😀😀', '0123456789abcdefghijklmnop', '12345', 'x'.repeat(40),
  '2024-02-29', '2023-02-29', '2024-13-01', '2000-02-29', '1900-02-29', '12:30:00Z', '24:00:00Z', '23:59:60Z', '12:30:00.5+01:30', '2024-05-06T07:08:09Z', '2024-05-06 07:08', '2024-06-31T00:00:00Z', '123e4567-e89b-12d3-a456-426614174000', '123e4567e89b12d3a456426614174000', 'a.b@example.org', 'a@b@c.org', '.a@b.org', '127.0.0.1', '256.1.1.1', '01.2.3.4', '::1', '1:2:3:4:5:6:7:8', '1::2::3', 'fe80::1:2', '::ffff:1.2.3.4', '12345::', 'example.org', '-a.org', 'a_b', 'https://example.org/a?b=c#d', 'mailto:x@y.z', 'no uri', 'http://[', 'P1DT2H', 'P', 'P1W2D', 'PT5S', '/a/b~0', '/a~2'];
const numbers = [0, 1, -1, 2, 3, 4, 5, 6, 9, 10, 12, 15, 17, 18, 40, 99, 100, 101, 1001, 1002, -5, -6, -12, -10, -11, 0.5, 1.5, 2.25, 2.5, -2.5, -2.4999, 10.75, 10.7, 0.001, 1e21, 1.5e-7, 123456.789];

// An instance that is often right: what the schema says, with chance.
function draw(s, root, depth) {
  if (typeof s !== 'object' || depth > 6 || random(12) === 0) return any(depth);
  if (s.$ref) return draw(s.$ref === '#' ? root : root.$defs[s.$ref.split('/').pop()], root, depth + 1);
  if ('const' in s) return s.const;
  if (s.enum) return pick(s.enum);
  for (const key of ['anyOf', 'oneOf']) if (s[key]) return draw({ ...s, [key]: undefined, ...pick(s[key]) }, root, depth + 1);
  if (s.allOf) { const merged = { ...s, allOf: undefined }; for (const one of s.allOf) Object.assign(merged, one, { properties: { ...merged.properties, ...one.properties }, required: [...(merged.required ?? []), ...(one.required ?? [])] }); return draw(merged, root, depth + 1); }
  const type = Array.isArray(s.type) ? pick(s.type) : s.type ?? (s.properties ? 'object' : s.minimum !== undefined ? 'integer' : pick(['string', 'integer', 'object', 'array', 'null']));
  if (type === 'object') {
    const out = {}, names = Object.keys(s.properties ?? {});
    for (const key of [...names, ...(s.required ?? [])]) if ((s.required ?? []).includes(key) ? random(10) : random(2)) out[key] = draw((s.properties ?? {})[key] ?? {}, root, depth + 1);
    const more = s.additionalProperties === false ? random(6) === 0 : random(2);
    if (more || !names.length) for (let n = random(3); n > 0; --n) { const key = pick(['a', 'b', 'c', 'd', 'sx', 'sn', 'xn', 'x-a', 'x-b', 'kind', 'abc', 'q"']); if (!(key in out)) out[key] = draw(typeof s.additionalProperties === 'object' ? s.additionalProperties : Object.values(s.patternProperties ?? { '': {} })[0], root, depth + 1); }
    return random(3) ? out : Object.fromEntries(Object.entries(out).reverse());
  }
  if (type === 'array') {
    const count = Math.min((s.minItems ?? 0) + random(3), (s.maxItems ?? 99) + (random(6) === 0 ? 1 : 0)), out = [];
    for (let i = 0; i < count; ++i) out.push(draw((s.prefixItems ?? [])[i] ?? s.items ?? {}, root, depth + 1));
    return random(8) ? out : out.slice(1);
  }
  if (type === 'integer' || type === 'number') return pick(numbers);
  if (type === 'string') return pick(texts);
  return type === 'boolean' ? random(2) === 0 : type === 'null' ? null : any(depth);
}
function any(depth) {
  const kind = random(depth > 2 ? 4 : 6);
  return kind === 0 ? pick(texts) : kind === 1 ? pick(numbers) : kind === 2 ? null : kind === 3 ? random(2) === 0 : kind === 4 ? [any(depth + 1)] : { [pick(['a', 'b', 'sx'])]: any(depth + 1) };
}

if (process.argv[2] === '--check') {
  let count = 0, wrong = 0, compiled = new Map();
  for (const line of fs.readFileSync(process.argv[3], 'utf8').trim().split('\n')) {
    const [schema, text] = JSON.parse(line), key = JSON.stringify(schema);
    if (!compiled.has(key)) compiled.set(key, ajv().compile(schema));
    ++count;
    if (!compiled.get(key)(JSON.parse(text))) ++wrong, console.log(key, text, compiled.get(key).errors);
  }
  console.log(`${count} replies, ${wrong} of them not valid`);
  process.exit(wrong ? 1 : 0);
}
// Written in a form of their own by JSON.stringify: -0 is 0, large numbers have exponents, which the readers' limits leave out.
const wanted = 9;
for (const schema of schemas) {
  const validate = ajv().compile(schema), seen = new Set(), out = { schema, valid: [], invalid: [] };
  const pool = s => s && s.type === 'string' && (s.format || s.pattern) ? texts : [];
  const tries = [...pool(schema), ...Array.from({ length: 600 }, () => draw(schema, schema, 0))];
  for (const instance of tries) {
    const text = JSON.stringify(instance), list = validate(JSON.parse(text)) ? out.valid : out.invalid;
    if (seen.has(text) || text.length > 600 || list.length >= wanted || /\de[+-]?\d/.test(text)) continue;
    seen.add(text);
    list.push(instance);
  }
  console.log(JSON.stringify(out));
}
