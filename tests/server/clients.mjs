// OpenAI's own client against a running server: node clients.mjs URL, in a folder where the package is.
import { createRequire } from 'node:module';
import assert from 'node:assert/strict';
const { default: OpenAI } = await import(createRequire(process.cwd() + '/').resolve('openai'));
const client = new OpenAI({ baseURL: process.argv[2], apiKey: 'none', maxRetries: 0 });
const messages = [{ role: 'user', content: 'What is Fireside?' }];
const calls = {
  async models() {
    const list = await client.models.list();
    assert.equal(list.data[0].id, 'starter');
  },
  async chat() {
    const reply = await client.chat.completions.create({ model: 'starter', messages, max_tokens: 8 });
    assert.ok(reply.choices[0].message.content.length > 0);
    assert.equal(reply.usage.total_tokens, reply.usage.prompt_tokens + reply.usage.completion_tokens);
  },
  async stream() {
    const stream = await client.chat.completions.create({
      model: 'starter', messages, max_completion_tokens: 8, stream: true, stream_options: { include_usage: true } });
    let text = '', usage;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta?.content ?? '';
      usage = chunk.usage ?? usage;
    }
    assert.ok(text.length > 0 && usage.completion_tokens > 0);
  },
  async streamHelper() {
    const runner = client.chat.completions.stream({ model: 'starter', messages, max_tokens: 8 });
    assert.ok((await runner.finalContent()).length > 0);
  },
  async abort() {
    const stream = await client.chat.completions.create({ model: 'starter', messages, stream: true });
    for await (const chunk of stream) {
      stream.controller.abort();
      break;
    }
  },
  async completion() {
    const reply = await client.completions.create({ model: 'starter', prompt: 'Once', max_tokens: 3 });
    assert.equal(reply.choices[0].finish_reason, 'length');
  },
  async embeddings() { // the client asks for base64 by itself
    const reply = await client.embeddings.create({ model: 'starter', input: ['one', 'two'] });
    const length = Math.hypot(...reply.data[1].embedding);
    assert.ok(Math.abs(length - 1) < 1e-3, `length ${length}`);
  },
  async errors() {
    await assert.rejects(client.chat.completions.create({ model: 'other', messages }), OpenAI.NotFoundError);
    await assert.rejects(client.chat.completions.create({ model: 'starter', messages, tools: [{ type: 'function', function: { name: 'f' } }] }),
      (error) => error instanceof OpenAI.BadRequestError && error.param === 'tools');
  },
};
for (const [name, call] of Object.entries(calls)) {
  await call();
  console.log(`passed ${name}`);
}
