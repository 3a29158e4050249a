// OpenAI's own client against a running server.
import assert from 'node:assert/strict';
import { assertFits, load, question, run, schema, url } from './calls.mjs';
const { default: OpenAI } = await load('openai');
const client = new OpenAI({ baseURL: url + '/v1', apiKey: 'none', maxRetries: 0 });
const model = 'starter', messages = [{ role: 'user', content: question }];
const tools = [{ type: 'function', function: { name: 'weather', description: 'The weather', parameters: schema, strict: true } }];
const text = { format: { type: 'json_schema', name: 'trip', schema, strict: true } };
await run('openai', {
  async models() {
    const list = await client.models.list();
    assert.equal(list.data[0].id, model);
    assert.equal((await client.models.retrieve(model)).object, 'model');
  },
  async chat() {
    const reply = await client.chat.completions.create({ model, messages, max_tokens: 8 });
    assert.ok(reply.choices[0].message.content.length > 0);
    assert.equal(reply.usage.total_tokens, reply.usage.prompt_tokens + reply.usage.completion_tokens);
  },
  async stream() {
    const stream = await client.chat.completions.create({
      model, messages, max_completion_tokens: 8, stream: true, stream_options: { include_usage: true } });
    let said = '', usage;
    for await (const chunk of stream) {
      said += chunk.choices[0]?.delta?.content ?? '';
      usage = chunk.usage ?? usage;
    }
    assert.ok(said.length > 0 && usage.completion_tokens > 0);
  },
  async streamHelper() {
    const runner = client.chat.completions.stream({ model, messages, max_tokens: 8 });
    assert.ok((await runner.finalContent()).length > 0);
  },
  async schema() {
    const reply = await client.chat.completions.parse({
      model, messages, response_format: { type: 'json_schema', json_schema: { name: 'trip', schema, strict: true } } });
    assertFits(JSON.parse(reply.choices[0].message.content));
  },
  async tools() {
    const reply = await client.chat.completions.create({
      model, messages, tools, tool_choice: 'required', parallel_tool_calls: false });
    assert.equal(reply.choices[0].finish_reason, 'tool_calls');
    assertFits(JSON.parse(reply.choices[0].message.tool_calls[0].function.arguments));
  },
  async streamedTools() {
    const runner = client.chat.completions.stream({
      model, messages, tools, tool_choice: { type: 'function', function: { name: 'weather' } } });
    const reply = await runner.finalChatCompletion();
    assert.equal(reply.choices[0].finish_reason, 'tool_calls');
    assertFits(JSON.parse(reply.choices[0].message.tool_calls[0].function.arguments));
  },
  async runTools() { // calls, answers and asks again by itself
    let asked;
    const weather = { type: 'function', function: {
      name: 'weather', description: 'The weather', parameters: schema, parse: JSON.parse,
      function: (given) => { asked = given; return 'Rain'; } } };
    const runner = client.chat.completions.runTools(
      { model, messages, tools: [weather], max_tokens: 60, parallel_tool_calls: false,
        tool_choice: { type: 'function', function: { name: 'weather' } } }, { maxChatCompletions: 2 });
    await runner.done();
    assertFits(asked);
  },
  async abort() {
    const stream = await client.chat.completions.create({ model, messages, stream: true });
    for await (const chunk of stream) {
      stream.controller.abort();
      break;
    }
  },
  async completion() {
    const reply = await client.completions.create({ model, prompt: 'Once', max_tokens: 3 });
    assert.equal(reply.choices[0].finish_reason, 'length');
  },
  async embeddings() { // the client asks for base64 by itself
    const reply = await client.embeddings.create({ model, input: ['one', 'two'] });
    const length = Math.hypot(...reply.data[1].embedding);
    assert.ok(Math.abs(length - 1) < 1e-3, `length ${length}`);
  },
  async responses() {
    const first = await client.responses.create({ model, input: question, max_output_tokens: 8 });
    assert.ok(first.output_text.length > 0);
    const next = await client.responses.create(
      { model, input: 'More?', previous_response_id: first.id, max_output_tokens: 8 });
    assert.ok(next.usage.input_tokens > first.usage.input_tokens);
  },
  async storedResponses() {
    const made = await client.responses.create(
      { model, input: question, max_output_tokens: 4, include: ['message.output_text.logprobs'], top_logprobs: 1 });
    assert.equal(made.output[0].content[0].logprobs.length, 4);
    assert.equal((await client.responses.retrieve(made.id)).output_text, made.output_text);
    assert.equal((await client.responses.inputItems.list(made.id)).data[0].content[0].text, question);
    await client.responses.delete(made.id);
    await assert.rejects(client.responses.retrieve(made.id), OpenAI.NotFoundError);
  },
  async responsesStream() {
    const stream = client.responses.stream({ model, input: question, max_output_tokens: 8 });
    let said = '';
    for await (const event of stream)
      if (event.type === 'response.output_text.delta')
        said += event.delta;
    assert.equal((await stream.finalResponse()).output_text, said);
  },
  async responsesSchema() {
    assertFits((await client.responses.parse({ model, input: question, text })).output_parsed);
  },
  async responsesTools() {
    const { name, description } = tools[0].function;
    const reply = await client.responses.create({
      model, input: question, tool_choice: 'required', parallel_tool_calls: false,
      tools: [{ type: 'function', name, description, parameters: schema, strict: true }] });
    assertFits(JSON.parse(reply.output[0].arguments));
  },
  async errors() {
    await assert.rejects(client.embeddings.create({ model: 'other', input: 'hello' }), OpenAI.NotFoundError);
    const named = await client.chat.completions.create({ model: 'other', messages, max_tokens: 4 });
    assert.equal(named.model, model); // the one model answers under any name
    const calls = client.chat.completions.create({ model, messages, tools,
      tool_choice: { type: 'function', function: { name: 'missing' } } });
    await assert.rejects(calls, (error) => error instanceof OpenAI.BadRequestError && /^tool_choice/.test(error.param));
  },
});
