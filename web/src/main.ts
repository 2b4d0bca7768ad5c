import { mount } from 'svelte';
import { live } from './api/live.svelte.ts';
import App from './App.svelte';
import 'uplot/dist/uPlot.min.css';
import './app.css';

const target = document.getElementById('app');
if (target) mount(App, { target });
live.start();
