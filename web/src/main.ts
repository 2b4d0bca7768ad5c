import { mount } from 'svelte';
import { live } from './api/live.svelte.ts';
import { server } from './api/server.ts';
import { provide } from './api/source.ts';
import App from './App.svelte';
import 'uplot/dist/uPlot.min.css';
import './fonts.css';
import './app.css';

provide(server);
const target = document.getElementById('app');
if (target) mount(App, { target });
live.start();
