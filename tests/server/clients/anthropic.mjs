// Anthropic's own client against a running server.
import assert from 'node:assert/strict';
import { assertFits, load, question, run, schema, url } from './calls.mjs';
const { default: Anthropic } = await load('@anthropic-ai/sdk');
const client = new Anthropic({ baseURL: url, apiKey: 'none', maxRetries: 0 });
const model = 'starter', max_tokens = 60, messages = [{ role: 'user', content: question }];
const tools = [{ name: 'weather', description: 'The weather', input_schema: schema }];
const tool_choice = { type: 'tool', name: 'weather' };
await run('@anthropic-ai/sdk', {
  async models() {
    assert.equal((await client.models.list()).data[0].id, model);
  },
  async message() {
    const reply = await client.messages.create({ model, messages, max_tokens: 8 });
    assert.ok(reply.content[0].text.length > 0);
    assert.equal(reply.stop_reason, 'max_tokens');
  },
  async stream() {
    const stream = await client.messages.create({ model, messages, max_tokens: 8, stream: true });
    const seen = [];
    for await (const event of stream)
      seen.push(event.type);
    assert.equal(seen[0], 'message_start');
    assert.equal(seen.at(-1), 'message_stop');
  },
  async streamHelper() {
    const stream = client.messages.stream({ model, messages, system: 'Be brief.', max_tokens: 8 });
    let said = '';
    stream.on('text', (piece) => { said += piece; });
    const reply = await stream.finalMessage();
    assert.equal(reply.content[0].text, said);
    assert.ok(reply.usage.output_tokens > 0);
  },
  async tools() {
    const reply = await client.messages.create({ model, messages, max_tokens, tools, tool_choice });
    assert.equal(reply.stop_reason, 'tool_use');
    const call = reply.content.find((block) => block.type === 'tool_use');
    assertFits(call.input);
    const next = await client.messages.create({ model, max_tokens: 8, tools, messages: [
      ...messages, { role: 'assistant', content: reply.content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: 'Rain' }] }] });
    assert.equal(next.type, 'message');
  },
  async streamedTools() {
    const reply = await client.messages.stream({ model, messages, max_tokens, tools, tool_choice }).finalMessage();
    assertFits(reply.content[0].input);
  },
  async schema() {
    const reply = await client.messages.create({
      model, messages, max_tokens, output_config: { format: { type: 'json_schema', schema } } });
    assertFits(JSON.parse(reply.content[0].text));
  },
  async stopSequences() {
    const { content } = await client.messages.create({ model, messages, max_tokens: 8 });
    const stop = content[0].text.slice(2, 5);
    const reply = await client.messages.create({ model, messages, max_tokens: 8, stop_sequences: [stop] });
    assert.equal(reply.stop_sequence, stop);
  },
  async countTokens() {
    const { input_tokens } = await client.messages.countTokens({ model, messages });
    const reply = await client.messages.create({ model, messages, max_tokens: 1 });
    assert.equal(reply.usage.input_tokens + reply.usage.cache_read_input_tokens, input_tokens);
  },
  async abort() {
    const stream = client.messages.stream({ model, messages, max_tokens: 200 });
    stream.on('text', () => stream.abort());
    await assert.rejects(stream.finalMessage(), Anthropic.APIUserAbortError);
  },
  async errors() {
    const named = await client.messages.create({ model: 'other', messages, max_tokens: 8 });
    assert.equal(named.model, model); // the one model answers under any name
    await assert.rejects(client.messages.create({ model, messages: [], max_tokens: 8 }), Anthropic.BadRequestError);
  },
});
